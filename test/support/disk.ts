import { afterAll } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needsThat } from './needs.ts';

export interface SmallDisk {
  readonly path: string;
  /** The `test` to use: it needs the right to mount. */
  readonly test: ReturnType<typeof needsThat>;
  /** Runs the body while all but `leave` bytes of the disk are used, then makes room again. */
  whileFull(leave: number, body: () => unknown): Promise<void>;
}

/** A real disk of a few kilobytes that can be filled. Make it at the top of a test file; it goes with the file. */
export function smallDisk(kilobytes: number): SmallDisk {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-disk-')));
  const options = `size=${kilobytes}k,mode=700`;
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', path]).status === 0;
  afterAll(() => {
    // Lazily: a file that a failed test left open must not keep the mount.
    if (mounted) spawnSync('umount', ['-l', path]);
    rmdirSync(path);
  });
  return {
    path,
    test: needsThat(mounted, 'the right to mount a tmpfs'),
    whileFull: (leave, body) => whileFull(join(path, 'filler'), kilobytes * 1024, leave, body),
  };
}

async function whileFull(filler: string, size: number, leave: number, body: () => unknown): Promise<void> {
  try {
    writeFileSync(filler, Buffer.alloc(size));
  } catch {}
  truncateSync(filler, statSync(filler).size - leave);
  try {
    await body();
  } finally {
    rmSync(filler);
  }
}
