import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ground } from './types.ts';

/** Merges and snapshots for the sake of looking: what git writes for them goes with the look, not into the repository. */
export async function lookOnly<T>(ground: Ground, look: (ground: Ground) => Promise<T>): Promise<T> {
  const own = mkdtempSync(join(tmpdir(), 'cadre-look-'));
  const objects = { own, shared: join(ground.repository.common, 'objects') };
  try {
    return await look({ ...ground, world: { ...ground.world, objects } });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
