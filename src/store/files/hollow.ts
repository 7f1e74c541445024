import { readdirSync, rmdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { holdDirectory } from '../../lib/files/hold-directory.ts';

/** More are taken for a directory that holds something. */
const maxDirectories = 1000;

/** Whether a directory holds nothing but directories, at any depth. */
export function isHollow(path: string): boolean {
  return listHollow(path) !== undefined;
}

/**
 * Removes a directory that holds nothing but directories. Each goes from the one that is held at that moment, and the system
 * removes none in which something is. Throws its error.
 */
export function removeHollow(path: string): void {
  for (const directory of (listHollow(path) ?? [path]).toReversed()) {
    const held = holdDirectory(dirname(directory));
    if (!held.ok) continue;
    try {
      rmdirSync(join(held.value.path, basename(directory)));
    } finally {
      held.value.close();
    }
  }
}

/** From the top down; undefined where a file is below. */
function listHollow(top: string): string[] | undefined {
  const found = [top];
  try {
    for (const path of found)
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (!entry.isDirectory() || found.length >= maxDirectories) return undefined;
        found.push(join(path, entry.name));
      }
    return found;
  } catch {
    return undefined;
  }
}
