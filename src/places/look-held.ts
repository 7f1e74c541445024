import { type Told, untold } from '../lib/told.ts';
import { listFolder, type Folder, openFolder } from './entries.ts';

/** Only names are read: half a second for so many. */
const maxHeld = 200_000;

/**
 * The paths below a directory, relative to it, which a command changes when it removes or moves the directory. What is in
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
