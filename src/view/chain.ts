import type { CompactBoundaryRecord, MessageRecord, TranscriptRecord } from '../protocol/record.ts';
import type { Before } from './entry.ts';

/** A visible item of a transcript: a message, or the place where a summary took over. */
export type Shown =
  | MessageRecord
  | { type: 'compaction'; boundary: CompactBoundaryRecord; summary: MessageRecord };

export interface Chain {
  /** Oldest first. */
  shown: Shown[];
  /** The message before them, about which these records say too little; null if there is none. */
  before: Link | null;
}

export type Link = Pick<Before, 'uuid' | 'summary'>;

/**
 * The conversation that leads to a message, or to the last one: without messages removed by a rewind, but with those
 * before a compaction. If the file's beginning is among the records and a link leads nowhere, the line was
 * damaged, and the message before it in the file is used.
 */
export function chainTo(records: readonly TranscriptRecord[], last?: Link): Chain {
  const stored = records.filter((record) => record.type === 'user' || record.type === 'assistant');
  const messages = last?.summary ? [...stored, last.summary] : stored;
  const boundaries = records.filter((record) => record.type === 'compact-boundary');
  const isWhole = records.some(isBeginning);
  const places = new Map(messages.map((record, index) => [record.uuid, index]));
  const taken = new Map(boundaries.map((boundary) => [boundary.summaryUuid, boundary]));
  const shown: Shown[] = [];
  const endAt = (before: Link | null): Chain => ({ shown: shown.reverse(), before });
  const head = last ? last.uuid : rewoundTo(records);
  if (head === null) return endAt(null);
  let at = head === undefined ? lastWhole(messages, boundaries.at(-1)) : (places.get(head) ?? -1);
  if (at < 0) return endAt(head === undefined ? null : (last ?? { uuid: head, summary: null }));
  for (let record = messages[at]; record; record = messages[at]) {
    const boundary = taken.get(record.uuid);
    if (boundary) shown.push({ type: 'compaction', boundary, summary: record });
    else if (isSummary(record)) return endAt(isWhole ? null : { uuid: record.uuid, summary: record });
    // A copy made by a compaction was shown in its first place.
    else if (record.copyOf === undefined) shown.push(record);
    const parent = boundary ? boundary.logicalParentUuid : record.parentUuid;
    if (parent === null) return endAt(null);
    const place = places.get(parent) ?? at;
    if (place >= at && !isWhole) return endAt({ uuid: parent, summary: null });
    at = place < at ? place : at - 1;
  }
  return endAt(null);
}

/** The target of a rewind after which nothing was said; null is the beginning. */
function rewoundTo(records: readonly TranscriptRecord[]): string | null | undefined {
  const said = records.findLastIndex(({ type }) => type === 'user' || type === 'assistant');
  const done = records.slice(said + 1).flatMap((record) => (isRewind(record) ? [record.head] : []));
  return done.findLast((head) => head !== undefined);
}

function isRewind(record: object): record is { head?: string | null } {
  const { type, isDone } = record as { type?: string; isDone?: true };
  return type === 'rewind' && isDone === true;
}

function isBeginning(record: TranscriptRecord): boolean {
  if (record.type === 'cadre-transcript') return true;
  return (
    (record.type === 'user' || record.type === 'assistant') &&
    record.parentUuid === null &&
    !isSummary(record)
  );
}

function isSummary(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'compaction';
}

/** A compaction whose last message was not written has not happened. */
function lastWhole(messages: readonly MessageRecord[], boundary: CompactBoundaryRecord | undefined): number {
  const expected = boundary ? [boundary.summaryUuid, ...boundary.keptUuids] : [];
  const written = expected.indexOf(messages.at(-1)?.uuid ?? '');
  return written < 0 || written === expected.length - 1
    ? messages.length - 1
    : messages.length - 1 - (written + 1);
}
