import type { HeaderRecord, LetterRecord, TranscriptRecord } from '../protocol/record.ts';

/** Prompts that were taken and neither read nor withdrawn, in the order of sending. */
export function findWaitingPrompts(
  records: readonly Exclude<TranscriptRecord, HeaderRecord>[],
): LetterRecord[] {
  const waiting = new Map<string, LetterRecord>();
  for (const record of records) {
    if (record.type === 'letter' && record.origin.kind === 'human') waiting.set(record.messageUuid, record);
    if (record.type === 'user') waiting.delete(record.uuid);
    if (record.type === 'letter-over') for (const uuid of record.messageUuids) waiting.delete(uuid);
  }
  return [...waiting.values()];
}
