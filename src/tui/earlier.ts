import { existsSync } from 'node:fs';
import { readJsonlTail } from '../lib/jsonl.ts';
import type { TranscriptRecord } from '../protocol/index.ts';
import { checkRecord } from '../store/check-record.ts';

/** Some screens of a conversation. */
const mostBytes = 512 * 1024;

/** The end of a stored conversation, in a time that does not depend on how long it is. */
export function readEarlier(path: string): TranscriptRecord[] {
  if (!existsSync(path)) return [];
  const tail = readJsonlTail(path, () => false, mostBytes);
  if (!tail.ok) return [];
  return tail.value.records.flatMap((found) => {
    const checked = checkRecord(found);
    return checked.kind === 'good' ? [checked.record] : [];
  });
}
