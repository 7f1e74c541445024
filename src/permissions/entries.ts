import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isLossy } from '../lib/utf8.ts';

/** A directory. Where a name on the way to it is not valid UTF-8, the path is only for people. */
export interface Folder {
  readonly path: string;
  /** Its path as bytes, where no text says it. */
  readonly place?: Buffer;
}

export interface Entry extends Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink'> {
  /** The path of the entry as bytes, where no text says it. */
  readonly place?: Buffer;
}

/** The entries of a directory. Empty where it cannot be listed: a command of ours cannot list it either. */
export function entriesOf({ path, place }: Folder): readonly Entry[] {
  try {
    if (place) return entriesByBytes(place);
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.some(({ name }) => isLossy(name)) ? entriesByBytes(Buffer.from(path)) : entries;
  } catch {
    return [];
  }
}

export function folderIn(directory: Folder, { name, place }: Entry): Folder {
  return { path: join(directory.path, name), ...(place ? { place } : {}) };
}

function entriesByBytes(directory: Buffer): Entry[] {
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
