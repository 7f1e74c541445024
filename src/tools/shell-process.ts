import type { Clock } from '../lib/clock.ts';
import { type OwnedProcess, ownerVariable, spawnOwned } from '../lib/process.ts';
import { quote } from './shell-quote.ts';

export interface ShellOptions {
  command: string;
  cwd: string;
  /** Written when the command ends in another directory than it began in. */
  directoryFile?: string;
  /** Absolute path of bash, or of a plain sh. */
  shell: string;
  env: Record<string, string>;
  output: number | ((chunk: Uint8Array) => void);
  clock: Clock;
  signal: AbortSignal;
  timeoutMs?: number;
}

/**
 * The command's output goes through a pipe to `cat`, which writes it to descriptor 3, where it belongs. With a file or a
 * socket in place of the pipe, `>/dev/stderr` in a script would wipe the output so far, or fail. `cat` outlives SIGTERM so
 * that last words arrive. The exit code is printed apart, since `cat` may be held up by what the command left running.
 */
const frame =
  'exec 4>&1; { "$@" 2>&1 3>&- 4>&-; echo $? >&4; } | { trap "" HUP INT TERM; exec cat >&3 4>&-; }';

export function startShell(options: ShellOptions): OwnedProcess {
  // These name files that a shell would run before the command.
  const { BASH_ENV: _, ENV: __, ...env } = options.env;
  const isBash = options.shell.endsWith('bash');
  const command = [
    ...(options.directoryFile ? [directoryTrap(options.cwd, options.directoryFile)] : []),
    options.command,
  ];
  return spawnOwned({
    file: '/bin/sh',
    args: [
      '-c',
      frame,
      'sh',
      options.shell,
      ...(isBash ? ['--noprofile', '--norc'] : []),
      '-c',
      command.join('\n'),
    ],
    cwd: options.cwd,
    env: { ...env, PWD: options.cwd },
    owner: env[ownerVariable] ?? 'cadre',
    output: options.output,
    reportsEnd: true,
    clock: options.clock,
    signal: options.signal,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  });
}

/** Lost when the command sets a trap of its own for its end; then the directory stays what it was. */
function directoryTrap(cwd: string, file: string): string {
  const action = `[ "$PWD" = ${quote(cwd)} ] || command pwd -P 2>/dev/null >|${quote(file)}`;
  return `trap -- ${quote(action)} EXIT`;
}
