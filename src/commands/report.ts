import { execFile } from 'node:child_process';
import type { Flags } from './flags.ts';

const maxBytes = 5_000_000;
const longestMs = 30_000;

/**
 * What one of our own commands prints, for a screen that shows it: the command is run as a person would run it, so that
 * both say the same. It runs where the session is, and in its environment.
 */
export function reportOf(
  words: readonly string[],
  flags: Partial<Flags>,
  { cwd, environment }: { cwd: string; environment: Readonly<Record<string, string | undefined>> },
): Promise<string> {
  const [command = ''] = words;
  const args = [...ourselves(), ...words, ...(takes[command] ?? (() => []))(flags)];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd, maxBuffer: maxBytes, timeout: longestMs, env: { ...environment, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        const late = error?.killed ? [`It took longer than ${longestMs / 1000} seconds and was ended.`] : [];
        resolve([stdout, stderr, ...late].filter((text) => text !== '').join('\n'));
      },
    );
  });
}

/** In development the program is a script that Bun runs. */
function ourselves(): string[] {
  const script = process.argv[1] ?? '';
  return /\.tsx?$/.test(script) && !script.startsWith('/$bunfs/') ? [script] : [];
}

/** What was said at the start counts here too. */
const takes: Readonly<Record<string, (flags: Partial<Flags>) => string[]>> = {
  agents: ({ agents, pluginDir, addDir }) => [
    ...(agents === undefined ? [] : ['--agents', agents]),
    ...repeated('--plugin-dir', pluginDir),
    ...repeated('--add-dir', addDir),
  ],
  skills: ({ pluginDir, addDir }) => [
    ...repeated('--plugin-dir', pluginDir),
    ...repeated('--add-dir', addDir),
  ],
  hooks: ({ pluginDir, settings, trust }) => [
    ...repeated('--plugin-dir', pluginDir),
    ...(settings === undefined ? [] : ['--settings', settings]),
    ...(trust ? ['--trust'] : []),
  ],
};

function repeated(flag: string, values: readonly string[] | undefined): string[] {
  return (values ?? []).flatMap((value) => [flag, value]);
}
