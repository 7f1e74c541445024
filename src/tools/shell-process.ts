import type { Clock } from '../lib/clock.ts';
import type { Fifos } from '../lib/fifo.ts';
import { type OwnedProcess, ownerVariable, spawnOwned } from '../lib/process.ts';
import { quote } from './shell-quote.ts';

export interface ShellOptions {
  command: string;
  cwd: string;
  /** Written when the command ends in another directory than it began in. */
  directoryFile?: string;
  /** Absolute path of bash, or of a plain sh. */
  shell: string;
  fifos: Fifos;
  env: Record<string, string>;
  output(chunk: Uint8Array): void;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs?: number;
}

export function startShell(options: ShellOptions): OwnedProcess {
  // These name files that a shell would run before the command.
  const { BASH_ENV: _, ENV: __, ...env } = options.env;
  const isBash = options.shell.endsWith('bash');
  const trap = options.directoryFile ? `${directoryTrap(options.cwd, options.directoryFile)}; ` : '';
  return spawnOwned({
    file: options.shell,
    // On one line with the trap, so that the shell counts the command's lines from 1.
    args: [...(isBash ? ['--noprofile', '--norc'] : []), '-c', trap + options.command],
    cwd: options.cwd,
    env: { ...env, PWD: options.cwd },
    owner: env[ownerVariable] ?? 'cadre',
    output: options.output,
    fifo: options.fifos.take(),
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
