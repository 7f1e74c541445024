import { mkdirSync } from '../../lib/exact-files.ts';
import { join } from '../../lib/exact-paths.ts';
import { entryAt } from './look.ts';
import { removeEmpty } from './remove-empty.ts';

/** Where our settings and those of others would be read: closed to commands before they are there. */
export const placeholderNames = ['.cadre', '.claude'];

/**
 * Directories that stand only as long as a command needs something to mount on, and how many commands do. Of the whole
 * process: sessions that share a workspace share its placeholders.
 */
const users = new Map<string, number>();

export interface Placeholders {
  paths: string[];
  /** Takes them away again, when nobody else needs them and nothing is in them. */
  giveBack(): void;
}

/** Makes what is missing. */
export function takePlaceholders(directories: readonly string[]): Placeholders {
  const taken = directories
    .flatMap((directory) => placeholderNames.map((name) => join(directory, name)))
    .filter(take);
  let given = false;
  return {
    paths: taken,
    giveBack() {
      if (given) return;
      given = true;
      for (const path of taken) giveBack(path);
    },
  };
}

function take(path: string): boolean {
  const count = users.get(path) ?? 0;
  if (count === 0 && (entryAt(path) !== undefined || !make(path))) return false;
  users.set(path, count + 1);
  return true;
}

function giveBack(path: string): void {
  const left = (users.get(path) ?? 1) - 1;
  if (left > 0) {
    users.set(path, left);
    return;
  }
  users.delete(path);
  removeEmpty(path);
}

function make(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
