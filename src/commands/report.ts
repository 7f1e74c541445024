import { execFile, spawn } from 'node:child_process';
import { listCommands } from './table/commands.ts';
import { writeFlag } from './table/flag.ts';
import type { MainFlags } from './table/main-flags.ts';

const maxBytes = 5_000_000;
const maxMs = 30_000;

/**
 * The output of one of our own commands, for a screen that shows it. It runs as a user would run it, so both print
 * the same, in the session's directory and environment.
 */
export function runReport(
  words: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const args = [...ourselves(), ...words];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd, maxBuffer: maxBytes, timeout: maxMs, env: { ...environment, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        const late = error?.killed ? [`It was stopped after ${maxMs / 1000} seconds.`] : [];
        resolve([stdout, stderr, ...late].filter((text) => text !== '').join('\n'));
      },
    );
  });
}

/** Runs one of our own commands on the terminal, which the caller has given up for it. */
export function runHere(
  words: readonly string[],
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...ourselves(), ...words], {
      cwd,
      stdio: 'inherit',
      env: { ...environment },
    });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** In development the program is a script that Bun runs. */
function ourselves(): string[] {
  const script = process.argv[1] ?? '';
  return /\.tsx?$/.test(script) && !script.startsWith('/$bunfs/') ? [script] : [];
}

/** The start flags that the command also has, so it sees what the session sees. */
export function repeatFlags(command: string, given: MainFlags): string[] {
  const entry = listCommands().find(({ path }) => path === command)?.entry;
  const { output: _, ...groups } = given;
  const values = Object.values(groups).flatMap((group) => Object.entries(group));
  return values.flatMap(([key, value]) => {
    const flag = entry?.flags[key];
    return flag ? writeFlag(key, flag, value) : [];
  });
}
