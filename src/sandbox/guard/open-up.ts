import { chmodSync, statSync } from '../../lib/files/exact-files.ts';
import { holdDirectory } from '../../lib/files/hold-directory.ts';

/**
 * Opens a directory that a command closed, so that its owner can read it and remove its entries. The directory is held
 * meanwhile: a link put in its place does not lead to another one.
 */
export function openUp(path: string): void {
  const held = holdDirectory(path);
  if (!held.ok) return;
  try {
    const { mode } = statSync(held.value.path);
    if ((mode & 0o700) !== 0o700) chmodSync(held.value.path, mode | 0o700);
  } catch {
    // Not ours: then it cannot be removed either.
  } finally {
    held.value.close();
  }
}
