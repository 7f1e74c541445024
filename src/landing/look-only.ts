import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSameProcess, processMark } from '../lib/process-mark.ts';
import { namesIn } from '../workspace/worktree-repository.ts';
import type { Ground } from './types.ts';

/** Each look has a directory here, which says whose it is. */
const folder = 'looks';

/** Merges and snapshots for the sake of looking: what git writes for them goes with the look, not into the repository. */
export async function lookOnly<T>(ground: Ground, look: (ground: Ground) => Promise<T>): Promise<T> {
  const { home } = ground.world;
  clearDeadLooks(home);
  const { pid, start } = processMark(process.pid);
  mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  const own = mkdtempSync(join(home, folder, `${pid}.${encodeURIComponent(start)}.`));
  const objects = { own, shared: join(ground.repository.common, 'objects') };
  try {
    return await look({ ...ground, world: { ...ground.world, objects } });
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** The same ground for a look that a signal ends: it then fails, and clears up behind itself. */
export function endedBy(signal: AbortSignal, ground: Ground): Ground {
  return { ...ground, world: { ...ground.world, signal } };
}

/** What is left of looks whose process was killed. */
export function clearDeadLooks(home: string): void {
  for (const name of namesIn(join(home, folder))) {
    const [, pid, start] = /^(\d+)\.(.*)\.[^.]*$/.exec(name) ?? [];
    if (pid === undefined || start === undefined) continue;
    if (isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) })) continue;
    rmSync(join(home, folder, name), { recursive: true, force: true });
  }
}
