import type { CompactBoundaryRecord, MessageRecord, TranscriptRecord } from '../protocol/record.ts';

/** What of a transcript is to be shown: a message, or the place where a summary took over. */
export type Shown =
  | MessageRecord
  | { type: 'compaction'; boundary: CompactBoundaryRecord; summary: MessageRecord };

export interface Chain {
  /** Oldest first. */
  shown: Shown[];
  /** The message before them, which is not among these records; null when there is none. */
  before: string | null;
}

/**
 * The conversation that leads to a message, or to the last one: what a rewind left behind is not part of it, what was
 * said before a compaction is. Where the file's beginning is among the records and a link leads nowhere, the line was
 * damaged, and the message before it in the file is taken.
 */
export function chainTo(records: readonly TranscriptRecord[], last?: string): Chain {
  const messages = records.filter((record) => record.type === 'user' || record.type === 'assistant');
  const boundaries = records.filter((record) => record.type === 'compact-boundary');
  const isWhole = records.some((record) => record.type === 'cadre-transcript');
  const places = new Map(messages.map((record, index) => [record.uuid, index]));
  const taken = new Map(boundaries.map((boundary) => [boundary.summaryUuid, boundary]));
  const shown: Shown[] = [];
  let at = last === undefined ? lastWhole(messages, boundaries.at(-1)) : (places.get(last) ?? -1);
  if (at < 0) return { shown, before: last ?? null };
  for (;;) {
    const record = messages[at];
    if (!record) return { shown: shown.reverse(), before: null };
    const boundary = taken.get(record.uuid);
    if (boundary) shown.push({ type: 'compaction', boundary, summary: record });
    // A copy that a compaction made was shown where it first stood.
    else if (record.copyOf === undefined) shown.push(record);
    const parent = boundary ? boundary.logicalParentUuid : record.parentUuid;
    if (parent === null) return { shown: shown.reverse(), before: null };
    const place = places.get(parent) ?? at;
    if (place >= at && !isWhole) return { shown: shown.reverse(), before: parent };
    at = place < at ? place : at - 1;
  }
}

/** A compaction of which the last message was not written any more has not happened. */
function lastWhole(messages: readonly MessageRecord[], boundary: CompactBoundaryRecord | undefined): number {
  const expected = boundary ? [boundary.summaryUuid, ...boundary.keptUuids] : [];
  const written = expected.indexOf(messages.at(-1)?.uuid ?? '');
  return written < 0 || written === expected.length - 1
    ? messages.length - 1
    : messages.length - 1 - (written + 1);
}
