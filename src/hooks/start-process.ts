import { closeSync } from 'node:fs';
import { openLaunchFiles } from '../lib/files/launch-files.ts';
import { notStarted, type OwnedOptions, type ProcessEnd, spawnOwned } from '../lib/processes/process.ts';
import type { Launch } from '../protocol/index.ts';
import type { HookHost } from './host.ts';

/** Runs the process of a hook to its end: in the sandbox if `confine` is given and has one, else as it is. */
export async function runProcess(
  launch: Launch,
  confine: HookHost['confine'],
  options: Omit<OwnedOptions, keyof Launch | 'descriptors'>,
): Promise<ProcessEnd & { isConfined?: true }> {
  const confined = await confine?.(launch);
  if (!confined) return spawnOwned({ ...options, ...launch, env: { ...launch.env } }).ended;
  if (!confined.ok) return notStarted({ problem: confined.problem.message }).ended;
  const { launch: inside, finish } = confined.value;
  const opened = openLaunchFiles(inside.files);
  if (!opened.ok) {
    finish({ failed: true, output: '' });
    return notStarted({ problem: opened.problem.message }).ended;
  }
  const { file, args, cwd, env } = inside;
  const descriptors = opened.value;
  const end = await spawnOwned({ ...options, file, args, cwd, env: { ...env }, descriptors }).ended;
  for (const descriptor of descriptors) closeSync(descriptor);
  // The sandbox itself tells the user what it took away.
  finish({ failed: end.code !== 0, output: '', code: end.code });
  return { ...end, isConfined: true };
}
