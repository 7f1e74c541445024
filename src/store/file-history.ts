import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory, writeAtomic } from '../lib/atomic.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import { hashBytes } from '../lib/hash.ts';
import { ok, type Result } from '../lib/result.ts';
import type { FileHistoryRecord } from '../protocol/record.ts';
import type { FileHistory } from '../protocol/tool.ts';

/**
 * Keeps what files held before each edit: first the bytes, once for each content, then the record that names
 * them. So a record never points at bytes that are not there, and an edit never comes before its record.
 */
export function createFileHistory(
  directory: string,
  append: (record: FileHistoryRecord) => Result<void>,
  clock: Clock,
): FileHistory {
  return {
    async keep(path, before, toolUseId) {
      const kept = before === null ? ok(null) : keepBytes(directory, before);
      if (!kept.ok) return kept;
      return append({
        type: 'file-history',
        timestamp: timestamp(clock),
        toolUseId,
        path,
        before: kept.value,
      });
    },
  };
}

function keepBytes(directory: string, bytes: Uint8Array): Result<string> {
  const hash = hashBytes(bytes);
  const path = join(directory, hash);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === bytes.length) return ok(hash);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const written = writeAtomic(path, bytes);
  return written.ok ? ok(hash) : written;
}
