import { realpathSync } from 'node:fs';
import { describeFileReason } from '../lib/files/files.ts';
import { readReal } from '../lib/files/open-real.ts';
import type { RealPath } from '../lib/files/real-places.ts';
import { failure, getErrorCode, ok, type Result } from '../lib/result.ts';

/** Bytes of one memory file that are used. */
export const maxMemoryFileSize = 40 * 1024;

export interface RawMemory {
  text: string;
  /** Bytes of the file beyond the limit. */
  cut: number;
}

/** The target of symlinks; undefined if there is no such file. */
export function findRealPath(path: string): RealPath | undefined {
  try {
    return realpathSync.native(path) as RealPath;
  } catch {
    return undefined;
  }
}

/**
 * The beginning of a plain text file, by its real path; undefined if it no longer exists. A pipe or device is never
 * waited for.
 */
export function readBounded(real: RealPath): Result<RawMemory | undefined> {
  const found = readReal(real, maxMemoryFileSize);
  if (found.state === 'missing') return ok(undefined);
  if (found.state === 'moved') return failure(`${real}: replaced by a link while it was being read; ignored`);
  if (found.state === 'failed') {
    if (getErrorCode(found.error) === 'ENOTDIR') return ok(undefined);
    return failure(`${real}: memory cannot be read: ${describeFileReason(found.error)}`);
  }
  const { stat, bytes } = found.value;
  if (!bytes) return failure(`${real}: expected a text file; ignored`);
  if (bytes.includes(0)) return failure(`${real}: expected text, found binary data; ignored`);
  const cut = stat.size - bytes.length;
  const text = bytes.toString('utf8');
  if (cut <= 0) return ok({ cut, text });
  // Half a line, or half a character, would be worse than none.
  const end = text.lastIndexOf('\n');
  if (end < 0) return failure(`${real}: its first line is longer than ${maxMemoryFileSize} bytes; ignored`);
  return ok({ cut, text: text.slice(0, end) });
}
