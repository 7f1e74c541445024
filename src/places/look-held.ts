import { type Told, untold } from '../lib/told.ts';
import { type Folder, listFolder, openFolder } from './entries.ts';

/** Only names are read: this many take half a second. */
const maxHeld = 200_000;

/**
 * The paths below a directory, relative to it, that a command changes when it removes or moves the directory. The content of
 * `.git` is left out, links are not followed. Untold where there are too many, or a directory cannot be listed.
 */
export function listHeld(root: string): Told<readonly string[]> {
  const paths: string[] = [];
  const waiting: Folder[] = [{ path: root }];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = listFolder(folder, 'untold');
    if (entries === untold || paths.length + entries.length > maxHeld) return untold;
    for (const entry of entries) {
      const inner = openFolder(folder, entry);
      paths.push(inner.path.slice(root.length + 1));
      if (entry.isDirectory() && entry.name.toLowerCase() !== '.git') waiting.push(inner);
    }
  }
  return paths;
}
