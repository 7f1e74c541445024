import { readdirSync } from 'node:fs';
import { entryAt } from '../../lib/entry-at.ts';
import { gitParts } from '../../workspace/git-directory.ts';
import { isOf, type Period } from './changes.ts';
import { isNoText } from './directories.ts';
import { isProtectedIn } from './names.ts';

/** A directory whose name is no text, so that no text leads to it. */
export interface OddDirectory {
  /** The directory that it is in. */
  directory: string;
  name: Buffer;
}

/** So much is looked at. Beyond it counts as protected. */
const maxEntries = 10_000;

/** Those in a directory that hold something protected which came to be in that time. */
export function oddOffenders(directory: string, period: Period): OddDirectory[] {
  return namesOf(Buffer.from(directory))
    .filter((name) => isNoText(name.toString('utf8')))
    .filter((name) => holdsProtected(within(Buffer.from(directory), name), period, { left: maxEntries }))
    .map((name) => ({ directory, name }));
}

function holdsProtected(path: Buffer, period: Period, budget: { left: number }): boolean {
  const stat = entryAt(path);
  if (!stat?.isDirectory()) return false;
  const names = namesOf(path);
  const parts = gitParts.filter((part) => names.some((name) => name.toString('latin1') === part));
  return names.some((name) => {
    if (--budget.left < 0) return true;
    const inner = within(path, name);
    const text = name.toString('utf8');
    // A head among its parts makes a git directory.
    // Protected by its own name, or by that of the directory too, which may have got it by being moved.
    if (isProtectedIn('/', text)) return isOf(entryAt(inner), period);
    if (isProtectedIn(path.toString('utf8'), text) || (text === 'HEAD' && parts.length > 0))
      return isOf(entryAt(inner), period) || isOf(stat, period);
    return holdsProtected(inner, period, budget);
  });
}

export function within(directory: Buffer, name: Buffer): Buffer {
  return Buffer.concat([directory, Buffer.from('/'), name]);
}

function namesOf(directory: Buffer): Buffer[] {
  try {
    return readdirSync(directory, { encoding: 'buffer' });
  } catch {
    return [];
  }
}
