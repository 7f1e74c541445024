import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLossy } from '../lib/text/utf8.ts';
import { type Told, untold } from '../lib/told.ts';

/** A directory. Where a name on the way to it is not valid UTF-8, the path is for display only. */
export interface Folder {
  readonly path: string;
  /** Its path as bytes, where it is not valid text. */
  readonly place?: Buffer;
}

export interface FolderEntry extends Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink'> {
  /** The path of the entry as bytes, where it is not valid text. */
  readonly place?: Buffer;
}

/**
 * The entries of a directory; empty where it does not exist. A directory that this user may not list is empty to a search,
 * which may not list it either, but not to a command that moves or removes it. Any other error is untold: a command could
 * reach a path that is too long step by step, or have the file descriptors that we ran out of.
 */
export function listFolder(
  { path, place }: Folder,
  refused: 'empty' | 'untold' = 'empty',
): Told<readonly FolderEntry[]> {
  try {
    if (place) return entriesByBytes(place);
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.some(({ name }) => isLossy(name)) ? entriesByBytes(Buffer.from(path)) : entries;
  } catch (error) {
    return isEmpty(error, refused) ? [] : untold;
  }
}

function isEmpty(error: unknown, refused: 'empty' | 'untold'): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return true;
  return refused === 'empty' && (code === 'EACCES' || code === 'EPERM');
}

/**
 * Reads a directory and those below it that each look names; `untold` as soon as one cannot be listed or there are too many
 * entries to read before a command.
 */
export function lookThrough<F extends Folder>(
  first: F,
  maxEntries: number,
  look: (folder: F, entries: readonly FolderEntry[]) => readonly F[],
): Told<void> {
  const waiting = [first];
  let left = maxEntries;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = listFolder(folder);
    if (entries === untold) return untold;
    left -= entries.length;
    if (left < 0) return untold;
    for (const found of look(folder, entries)) waiting.push(found);
  }
}

export function openFolder(directory: Folder, { name, place }: FolderEntry): Folder {
  return { path: join(directory.path, name), ...(place ? { place } : {}) };
}

function entriesByBytes(directory: Buffer): FolderEntry[] {
  return readdirSync(directory, { encoding: 'buffer' }).flatMap((bytes) => {
    const place = Buffer.concat([directory, Buffer.from('/'), bytes]);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (!stat) return [];
    const name = bytes.toString('utf8');
    const isText = !isLossy(name) && !isLossy(directory.toString('utf8'));
    return [
      {
        name,
        isDirectory: () => stat.isDirectory(),
        isFile: () => stat.isFile(),
        isSymbolicLink: () => stat.isSymbolicLink(),
        ...(isText ? {} : { place }),
      },
    ];
  });
}
