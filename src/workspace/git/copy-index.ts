import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { failure, ok, type Result } from '../../lib/result.ts';

/**
 * The copy keeps the time of the original, or an earlier one: git checks files twice that were written at the time of their
 * index, and would not with a newer one. Throws where it cannot be written.
 */
export function copyIndex(from: string, to: string): Result<void> {
  const read = readBounded(from, maxIndex);
  if (read.state !== 'read') return failure(`${from} is not a readable index.`);
  const { mode, mtimeMs } = read.stat;
  writeFileSync(to, read.bytes, { mode: 0o600 });
  chmodSync(to, mode & 0o777);
  const written = Math.floor(mtimeMs / 1000);
  utimesSync(to, written, written);
  return ok(undefined);
}

const maxIndex = 512 * 1024 * 1024;
