import { chmodSync, utimesSync, writeFileSync } from 'node:fs';
import { type Bounded, readBounded } from '../../lib/files/read-bounded.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import { judgeIndex } from './index-faults.ts';

/**
 * The copy keeps the time of the original, or an earlier one: git checks files twice that were written at the time of their
 * index, and would not with a newer one. Throws where it cannot be written.
 */
export function copyIndex(from: string, to: string): Result<CheckedIndex> {
  const checked = checkIndex(from);
  if (!checked.ok) return checked;
  const { mode, mtimeMs } = checked.value.stat;
  writeFileSync(to, checked.value.bytes, { mode: 0o600 });
  chmodSync(to, mode & 0o777);
  const written = Math.floor(mtimeMs / 1000);
  utimesSync(to, written, written);
  return checked;
}

export interface CheckedIndex extends Pick<Extract<Bounded, { state: 'read' }>, 'bytes' | 'stat'> {
  isSplit: boolean;
}

/** Fails for one that misleads git, which reads and stores the files that an index names, wherever they are. */
export function checkIndex(file: string, shown = file): Result<CheckedIndex> {
  const read = readBounded(file, maxIndex);
  if (read.state !== 'read') return failure(`${shown} is not a readable index.`);
  const { isMisleading, isSplit } = judgeIndex(read.bytes);
  return isMisleading
    ? failure(
        `${shown} names files outside the checkout, or remembers trees with other content than its entries.`,
        'No git command writes such an index. Move it elsewhere, and run git reset to make it again.',
      )
    : ok({ bytes: read.bytes, stat: read.stat, isSplit });
}

const maxIndex = 512 * 1024 * 1024;
