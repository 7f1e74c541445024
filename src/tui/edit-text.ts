import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemClock } from '../lib/clock.ts';
import { listNames } from '../lib/files/list-names.ts';
import { isOfDead, nameByProcess } from '../lib/files/temporary-names.ts';
import { programPath } from '../workspace/search-path.ts';
import type { Display } from './display.ts';
import type { Terminal } from './terminal/terminal.ts';

export interface EditOptions {
  text: string;
  /** What kind of file an editor takes it for. */
  ending?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  terminal: Terminal;
  display: Display;
}

/** Opens text in the user's editor. Undefined if the editor could not be started or failed; nothing has changed then. */
export async function editText({
  text,
  ending = '.md',
  environment,
  terminal,
  display,
}: EditOptions): Promise<string | undefined> {
  removeLeft(tmpdir());
  const directory = join(tmpdir(), `${prefix}${nameByProcess()}`);
  mkdirSync(directory, { mode: 0o700 });
  const file = join(directory, `text${ending}`);
  writeFileSync(file, text, { mode: 0o600 });
  try {
    const code = await lendTerminal({ terminal, display }, () =>
      run(chooseEditor(environment), file, environment),
    );
    return code === 0 ? readFileSync(file, 'utf8') : undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Another program has the terminal until it ends. */
export async function lendTerminal(
  { terminal, display }: Pick<EditOptions, 'terminal' | 'display'>,
  work: () => Promise<number>,
): Promise<number> {
  const resume = display.suspend();
  terminal.lend();
  let code = 1;
  try {
    code = await work();
    return code;
  } finally {
    // What was typed to interrupt it was sent to us too, and may be heard only after its end.
    if (code !== 0) await sleep(systemClock, heardWithinMs);
    terminal.takeBack(code !== 0);
    resume();
  }
}

/** Longer than it takes to receive a signal that was sent before. */
const heardWithinMs = 50;

const prefix = 'cadre-edit-';

/** Text of editors whose Cadre was killed meanwhile. */
function removeLeft(parent: string): void {
  for (const name of listNames(parent)) {
    if (!name.startsWith(prefix) || !isOfDead(join(parent, name))) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() && found.uid === process.getuid?.())
      rmSync(path, { recursive: true, force: true });
  }
}

export function chooseEditor({ VISUAL, EDITOR }: EditOptions['environment']): string {
  return VISUAL || EDITOR || 'vi';
}

/** The variable may hold flags too, so a shell reads it, as other programs do. */
function run(
  editor: string,
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
      env: {
        ...environment,
        PATH: programPath(environment.PATH ?? '', process.cwd(), environment.HOME || '/'),
      },
    });
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
