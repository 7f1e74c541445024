import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { directoriesIn } from './look.ts';

/** Removes what commands made, also where they closed a directory. No link is followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openUp(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Not ours: tried again at the next start.
    }
  }
}

function openUp(path: string): void {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return;
    chmodSync(path, found.mode | 0o700);
  } catch {
    return;
  }
  for (const inner of directoriesIn(path)) openUp(inner);
}
