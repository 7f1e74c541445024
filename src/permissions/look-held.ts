import { join } from 'node:path';
import { entriesOf, isVendor, mostEntries } from './look-names.ts';

/** Installed packages are many files, of which only the names are read. */
const maxPackaged = 200_000;

/**
 * The paths below a directory, relative to it, which a command changes when it removes or moves the directory. What is in
 * `.git` is left out, links are not followed; undefined when there are too many.
 */
export function listHeld(root: string): readonly string[] | undefined {
  const paths: string[] = [];
  const waiting = [{ inner: '', isPackaged: root.split('/').some(isVendor) }];
  let left = mostEntries;
  let leftPackaged = maxPackaged;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { inner, isPackaged } = next;
    for (const entry of entriesOf(join(root, inner))) {
      if ((isPackaged ? --leftPackaged : --left) < 0) return undefined;
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      paths.push(path);
      if (entry.isDirectory() && entry.name.toLowerCase() !== '.git')
        waiting.push({ inner: path, isPackaged: isPackaged || isVendor(entry.name) });
    }
  }
  return paths;
}
