import { spawnSync } from 'node:child_process';
import { findOwnProgram } from '../search-path.ts';
import { neutralArguments, neutralEnvironment, neutralSettings } from './neutral.ts';
import { findObstacleForGit } from './obstacles.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const timeMs = 1500;
const maxOutput = 64 * 1024 * 1024;

/** Decisions are synchronous, so this git runs to its end, or is killed. */
export function runGitNow(
  args: readonly string[],
  { cwd, environment, input }: { cwd: string; environment: Environment; input?: string },
): string | undefined {
  const program = findOwnProgram('git', environment, cwd);
  // It would block at a named pipe until its time is over, and everything else with it.
  if (!program || findObstacleForGit(args, { cwd })) return undefined;
  const config: [string, string][] = [...neutralSettings, ['log.showRoot', 'true'], ['safe.directory', '*']];
  const end = spawnSync(program.file, ['--no-replace-objects', ...neutralArguments(args)], {
    cwd,
    env: neutralEnvironment({ PATH: program.path }, config),
    encoding: 'utf8',
    timeout: timeMs,
    killSignal: 'SIGKILL',
    maxBuffer: maxOutput,
    ...(input === undefined ? {} : { input }),
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
  });
  return end.status === 0 && !end.error ? end.stdout : undefined;
}
