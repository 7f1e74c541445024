import { rmSync } from '../../lib/exact-files.ts';
import { directoriesIn, entryAt } from './look.ts';
import { openUp } from './open-up.ts';

/** Removes what commands made, also where they closed a directory. No link is followed. */
export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openAll(path);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Not ours: tried again at the next start.
    }
  }
}

function openAll(path: string): void {
  if (!entryAt(path)?.isDirectory()) return;
  openUp(path);
  for (const inner of directoriesIn(path)) openAll(inner);
}
