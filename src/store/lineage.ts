import type { MessageRecord, RewindRecord } from '../protocol/record.ts';
import type { LoadedTranscript } from './transcript.ts';

type Records = LoadedTranscript['records'];

/**
 * The messages among which the conversation ends: all of them, or after a rewind without new messages, those up to its
 * target. Following the chain from their end leaves out the rewound ones.
 */
export function untilHead(
  records: Records,
  messages: MessageRecord[],
): { messages: MessageRecord[]; broken: string[] } {
  const back = lastMove(records);
  if (!back || isMessage(records.findLast((record) => isMessage(record) || record === back)))
    return { messages, broken: [] };
  if (back.head === null) return { messages: [], broken: [] };
  const at = messages.findLastIndex((record) => record.uuid === back.head);
  if (at >= 0) return { messages: messages.slice(0, at + 1), broken: [] };
  return { messages, broken: [`a rewind points to message ${back.head}, which is missing`] };
}

/** The last rewind that moved the conversation. */
function lastMove(records: Records): (RewindRecord & { head: string | null }) | undefined {
  return records.findLast(
    (record): record is RewindRecord & { head: string | null } =>
      record.type === 'rewind' && record.head !== undefined && !record.isDone,
  );
}

/**
 * A compaction whose last message was not written did not happen: the messages before it apply. There may be several in a row, of
 * processes that were killed one after another.
 */
export function withoutUnfinished(records: Records): MessageRecord[] {
  let messages = records.filter(isMessage);
  for (const boundary of records.filter((record) => record.type === 'compact-boundary').reverse()) {
    const expected = [boundary.summaryUuid, ...boundary.keptUuids];
    const written = expected.indexOf(messages.at(-1)?.uuid ?? '');
    if (written === expected.length - 1) break;
    if (written >= 0) messages = messages.filter((record) => !expected.includes(record.uuid));
  }
  return messages;
}

/**
 * Every message that led to the end of `chain`, also from before compactions, in order. Rewound messages are not included.
 */
export function followLineage(records: Records, chain: readonly MessageRecord[]): MessageRecord[] {
  const messages = new Map<string, MessageRecord>();
  const before = new Map<string, string | null>();
  for (const record of records)
    if (isMessage(record)) messages.set(record.uuid, record);
    else if (record.type === 'compact-boundary') before.set(record.summaryUuid, record.logicalParentUuid);
  const lineage = [...chain].reverse();
  const seen = new Set(lineage.map(({ uuid }) => uuid));
  for (let last = lineage.at(-1); last; last = lineage.at(-1)) {
    const parent = last.parentUuid ?? before.get(last.uuid) ?? null;
    const record = parent === null ? undefined : messages.get(parent);
    if (!record || seen.has(record.uuid)) break;
    lineage.push(record);
    seen.add(record.uuid);
  }
  return lineage.reverse();
}

export function isMessage(record: Records[number] | undefined): record is MessageRecord {
  return record?.type === 'user' || record?.type === 'assistant';
}
