import { systemClock } from '../lib/clock.ts';
import { spawnOwned } from '../lib/processes/process.ts';
import type { WritePlaces } from '../workspace/running-commands.ts';
import { findSystemProgram } from './bwrap/find-program.ts';

/** Long enough for a busy machine; where it is not, git is run as if there were no such program. */
const maxTrialMs = 10_000;

/**
 * The words before a program that let it write at some places only, whatever links lead out of those: a process outside can put
 * one there and take it away while the program runs. It has all else of this process: files, network, rights. Undefined where
 * this machine has no such way, as a trial shows.
 */
export async function openHoldWrites(): Promise<((places: WritePlaces) => string[]) | undefined> {
  const program = process.platform === 'linux' ? findSystemProgram('bwrap', undefined) : undefined;
  if (program === undefined) return undefined;
  const hold = ({ open, closed }: WritePlaces) => [
    ...[program, '--die-with-parent', '--ro-bind', '/', '/', '--dev-bind', '/dev', '/dev'],
    // Without a name space for users root keeps its rights only so.
    ...(process.geteuid?.() === 0 ? ['--cap-add', 'ALL'] : []),
    ...open.flatMap((path) => ['--bind', path, path]),
    ...closed.flatMap((path) => ['--ro-bind', path, path]),
    '--',
  ];
  const [file = '', ...args] = hold({ open: [], closed: [] });
  const trial = await spawnOwned({
    ...{ file, args: [...args, '/bin/sh', '-c', ': > /dev/null'], cwd: '/', env: {}, owner: 'cadre' },
    ...{ clock: systemClock, output: () => {}, timeoutMs: maxTrialMs },
  }).ended;
  return trial.code === 0 ? hold : undefined;
}
