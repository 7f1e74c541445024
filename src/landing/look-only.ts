import { join } from 'node:path';
import { clearDeadDirectories, withOwnDirectory } from '../workspace/own-directory.ts';
import type { Ground } from './types.ts';

/**
 * Merges and snapshots for reading only: the objects git writes for them are removed afterwards and never enter the
 * repository.
 */
export function lookOnly<T>(ground: Ground, look: (ground: Ground) => Promise<T>): Promise<T> {
  clearDeadDirectories(ground.world.home);
  return withOwnDirectory(ground.world.home, (own) => {
    const objects = { own, shared: join(ground.repository.common, 'objects') };
    return look({ ...ground, world: { ...ground.world, objects } });
  });
}

/** The same ground for a look that a signal can cancel: it then fails and cleans up. */
export function endedBy(signal: AbortSignal, ground: Ground): Ground {
  return { ...ground, world: { ...ground.world, signal } };
}
