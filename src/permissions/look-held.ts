import { join } from 'node:path';
import { entriesOf } from './look-names.ts';

/** Only names are read: half a second for so many. */
const maxHeld = 200_000;

/**
 * The paths below a directory, relative to it, which a command changes when it removes or moves the directory. What is in
 * `.git` is left out, links are not followed; undefined when there are too many.
 */
export function listHeld(root: string): readonly string[] | undefined {
  const paths: string[] = [];
  const waiting = [''];
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop())
    for (const entry of entriesOf(join(root, inner))) {
      if (paths.length >= maxHeld) return undefined;
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      paths.push(path);
      if (entry.isDirectory() && entry.name.toLowerCase() !== '.git') waiting.push(path);
    }
  return paths;
}
