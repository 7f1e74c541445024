import type { Clock } from '../../lib/clock.ts';
import type { Fifos } from '../../lib/files/fifo.ts';
import { checkOwner } from '../../lib/processes/owner-rights.ts';
import { notStarted, type OwnedProcess, ownerVariable, spawnOwned } from '../../lib/processes/process.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { findDialect } from '../../lib/shell-dialect.ts';
import { quote } from '../../lib/shell-quote.ts';
import type { Launch } from '../../protocol/sandbox.ts';
import type { ShellEnvironment, ToolContext } from '../../protocol/tool.ts';
import { findOwnProgram } from '../../workspace/search-path.ts';
import { type RunningShell, startConfined } from './confined-shell.ts';

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

/** How the commands of an agent are run, whatever they are for. */
export async function describeShell({ shell, clock }: Pick<ToolContext, 'shell' | 'clock'>) {
  const { fifos, confine, within } = shell;
  return { shell: shell.shell, env: await shell.environment(), fifos, confine, within, clock };
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
    pace: options.pace,
    fifo: options.fifos.take(),
    clock: options.clock,
    signal: options.signal,
    timeoutMs: options.timeoutMs,
  });
}

/** Lost if the command sets its own exit trap; then the directory does not change. `set -x` of the command ends before it. */
function directoryTrap(cwd: string, file: string): string {
  const action = `{ set +x; } 2>/dev/null; [ "$PWD" = ${quote(cwd)} ] || command pwd -P 2>/dev/null >|${quote(file)}`;
  return `trap -- ${quote(action)} EXIT`;
}

/**
 * The beginning of a line that may run only in these directories, given as real paths. Another command can replace a
 * directory with a link at any time before the shell enters it, so the shell asks the kernel where it is: at its
 * start, and after each `cd`. Its own `pwd -P` would not do, since that resolves the name again. On one line, so that the
 * shell counts the command's lines from 1.
 */
function stayWithin(
  directories: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Result<string> {
  const program = findOwnProgram('pwd', env, cwd, directories);
  if (!program) return failure('No pwd program was found outside the workspace.', 'Install coreutils.');
  // The last two characters are a newline and the dot that protects it: a name may end with a newline as well.
  const ask = `set -- "$(${quote(program.file)} -P; printf .)"`;
  const inside = directories.map((directory) => `${quote(directory === '/' ? '/' : `${directory}/`)}*`);
  const check = `case "\${1%??}/" in ${inside.join('|')}) ;; *) echo ${quote(refusal)} >&2; exit 126;; esac`;
  return ok(`cadre_stay() { ${ask}; ${check}; }; cd() { command cd "$@" && cadre_stay; }; cadre_stay; `);
}

const refusal =
  'cadre: this directory is outside the workspace: it was replaced after the command was checked. Nothing was run in it.';
