import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/files/atomic.ts';
import { listNames } from '../lib/files/list-names.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import type { Ids } from '../lib/ids.ts';
import type { Result } from '../lib/result.ts';

/** A letter about work that the user returned while the session was closed. */
export interface ReturnedLetter {
  /** The agent's id; null is the session itself. */
  to: string | null;
  message: string;
  /** The name of the worktree. */
  worktree: string;
  at: string;
}

const maxLetter = 1024 * 1024;

/** Keeps a letter for the next resume of a session. `directory`: `SessionLayout.returned`. */
export function storeReturned(directory: string, letter: ReturnedLetter, ids: Ids): Result<void> {
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const name = `${letter.at.replace(/[^0-9]/g, '')}-${ids.token(8)}.json`;
  return writeAtomic(join(directory, name), `${JSON.stringify(letter)}\n`);
}

/** In the order in which they were written. One that cannot be read stays where it is. */
export function listReturned(directory: string): { file: string; letter: ReturnedLetter }[] {
  const names = listNames(directory).filter((name) => /^\d+-[\w-]+\.json$/.test(name));
  return names.sort().flatMap((name) => {
    const file = join(directory, name);
    const letter = readLetter(file);
    return letter ? [{ file, letter }] : [];
  });
}

export function removeReturned(file: string): void {
  rmSync(file, { force: true });
}

function readLetter(file: string): ReturnedLetter | undefined {
  try {
    const value = JSON.parse(readBoundedText(file, maxLetter, { refusesLinks: true }) ?? '');
    const isAddress = value?.to === null || typeof value?.to === 'string';
    const hasTexts = ['message', 'worktree', 'at'].every((name) => typeof value?.[name] === 'string');
    return isAddress && hasTexts ? value : undefined;
  } catch {
    return undefined;
  }
}
