import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { readBounded } from '../../lib/files/read-bounded.ts';
import { failure, ok, type Result } from '../../lib/result.ts';

/**
 * The copy keeps the time of the original, or an earlier one: git looks twice at files that were written in the moment of
 * their index, and would not with a younger one. Throws where it cannot be written.
 */
export function copyIndex(from: string, to: string): Result<void> {
  const read = readBounded(from, maxIndex);
  if (read.state !== 'read') return failure(`${from} is not an index that can be read.`);
  const { mode, mtimeMs } = read.stat;
  writeFileSync(to, read.bytes, { mode: 0o600 });
  chmodSync(to, mode & 0o777);
  const written = Math.floor(mtimeMs / 1000);
  utimesSync(to, written, written);
  return ok(undefined);
}

const maxIndex = 512 * 1024 * 1024;
