import type { Clock } from '../../lib/clock.ts';
import type { Fifos } from '../../lib/files/fifo.ts';
import { checkOwner } from '../../lib/processes/owner-rights.ts';
import { notStarted, type OwnedProcess, ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { ok } from '../../lib/result.ts';
import { findDialect } from '../../lib/shell-dialect.ts';
import { quote } from '../../lib/shell-quote.ts';
import type { Launch } from '../../protocol/sandbox.ts';
import type { ShellEnvironment } from '../../protocol/tool.ts';
import { type RunningShell, startConfined } from './confined-shell.ts';
import { stayWithin } from './within.ts';

export type { RunningShell };

export interface ShellOptions {
  command: string;
  cwd: string;
  /** Written if the command ends in another directory than it started in. */
  directoryFile?: string;
  /** Absolute path of bash, or of a plain sh. */
  shell: string;
  fifos: Fifos;
  /** The sandbox to run in, if any. */
  confine?: ShellEnvironment['confine'];
  /** The directories it must stay in, if it is not confined. */
  within?: ShellEnvironment['within'];
  env: Record<string, string>;
  output(chunk: Uint8Array): void;
  /** As `spawnOwned` has it. */
  pace?(): Promise<void> | undefined;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs?: number;
}

/** A command that cannot be confined as requested is not started. */
export async function startShell(options: ShellOptions): Promise<RunningShell> {
  const { confine } = options;
  if (!confine) return startUnconfined(options);
  const check = () => checkOwner(options.env[ownerVariable]);
  const allowed = check();
  if (!allowed.ok) return notStarted({ problem: allowed.problem.message });
  const launch = buildLaunch(options);
  return startConfined({
    ...{ fifos: options.fifos, output: options.output, clock: options.clock, check },
    confine: (canWait) => confine({ ...launch, ...(canWait ? { canWait } : {}) }, options.directoryFile),
    spawn: (confined, descriptors, output) => spawnShell(confined, descriptors, { ...options, output }),
  });
}

function startUnconfined(options: ShellOptions): OwnedProcess {
  const { within, env, cwd } = options;
  const stay = within ? stayWithin(within, env, cwd) : ok('');
  if (!stay.ok) return notStarted({ problem: stay.problem.message });
  return spawnShell(buildLaunch(options, stay.value), undefined, options);
}

function buildLaunch(options: ShellOptions, first = ''): Launch {
  // These name files that a shell would run before the command.
  const { BASH_ENV: _, ENV: __, ...env } = options.env;
  const isBash = findDialect(options.shell) === 'bash';
  const trap = options.directoryFile ? `${directoryTrap(options.cwd, options.directoryFile)}; ` : '';
  return {
    file: options.shell,
    // On one line with the trap, so that the shell counts the command's lines from 1.
    args: [...(isBash ? ['--noprofile', '--norc'] : []), '-c', trap + first + options.command],
    cwd: options.cwd,
    env: { ...env, PWD: options.cwd },
  };
}

/** `descriptors` are for a confined command, which takes its processes along when it ends. */
function spawnShell(
  launch: Launch,
  descriptors: readonly number[] | undefined,
  options: ShellOptions,
): OwnedProcess {
  return spawnOwned({
    ...{ file: launch.file, args: launch.args, cwd: launch.cwd, env: { ...launch.env } },
    // The first process of a namespace receives no other signal, and no process passes one on during setup.
    ...(descriptors ? { descriptors, takesAllAlong: true, graceMs: 0 } : {}),
    owner: launch.env[ownerVariable] ?? 'cadre',
    output: options.output,
    ...(options.pace ? { pace: options.pace } : {}),
    fifo: options.fifos.take(),
    clock: options.clock,
    signal: options.signal,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
}

/** Lost if the command sets its own exit trap; then the directory does not change. `set -x` of the command ends before it. */
function directoryTrap(cwd: string, file: string): string {
  const action = `{ set +x; } 2>/dev/null; [ "$PWD" = ${quote(cwd)} ] || command pwd -P 2>/dev/null >|${quote(file)}`;
  return `trap -- ${quote(action)} EXIT`;
}
