import { readJsonlTail } from '../lib/jsonl.ts';
import { ok, type Result } from '../lib/result.ts';
import type { CompactBoundaryRecord, MessageRecord, TranscriptRecord } from '../protocol/record.ts';
import { checkRecord } from './check-record.ts';

export interface TranscriptTail {
  /** The last messages of the conversation, oldest first; also from before compactions, since a reader saw those. */
  messages: MessageRecord[];
  /** Where to read on for what is before them; absent when nothing is. */
  earlier?: TailCursor;
}

/** A place in a transcript and the message that is looked for before it. */
export interface TailCursor {
  offset: number;
  uuid: string;
}

/**
 * Reads as much of a transcript's end as the last `messages` of its conversation take, backwards: what a screen shows is
 * there at once, however long the transcript. Copies that a compaction made are passed over for what they are copies of,
 * and its summary for what it sums up.
 */
export function readTail(
  path: string,
  want: { messages: number; from?: TailCursor },
): Result<TranscriptTail> {
  const walk = new Walk(want.messages, want.from?.uuid);
  const read = readJsonlTail(path, (found) => walk.take(found), Number.POSITIVE_INFINITY, want.from?.offset);
  if (!read.ok) return read;
  const { messages, wanted } = walk;
  const isMore = wanted !== undefined && !read.value.fromStart;
  return ok({
    messages: messages.reverse(),
    ...(isMore ? { earlier: { offset: read.value.offset, uuid: wanted } } : {}),
  });
}

/** Follows the chain from the end of a file towards its beginning. */
class Walk {
  readonly messages: MessageRecord[] = [];
  /** The message that comes next; undefined before the first, and when there is none. */
  wanted: string | undefined;
  #begun: boolean;
  #over = false;
  /** A summary whose boundary is yet to come. */
  #summary: string | undefined;

  constructor(
    private readonly most: number,
    from: string | undefined,
  ) {
    this.wanted = from;
    this.#begun = from !== undefined;
  }

  /** True when there is enough. */
  take(found: Record<string, unknown>): boolean {
    const checked = checkRecord(found);
    if (checked.kind === 'good') this.#note(checked.record);
    return this.#over || this.messages.length >= this.most;
  }

  #note(record: TranscriptRecord): void {
    if (record.type === 'rewind' && !this.#begun && record.head !== undefined && !record.isDone)
      this.#goTo(record.head);
    else if (record.type === 'compact-boundary') this.#cross(record);
    else if (record.type === 'user' || record.type === 'assistant') this.#follow(record);
  }

  #follow(record: MessageRecord): void {
    if (this.#begun && record.uuid !== this.wanted) return;
    this.#begun = true;
    if (isSummary(record)) {
      this.#summary = record.uuid;
      this.wanted = undefined;
      return;
    }
    if (record.copyOf === undefined) this.messages.push(record);
    if (record.parentUuid === null) this.#over = true;
    this.wanted = record.parentUuid ?? undefined;
  }

  /** What stands before a compaction goes on from the message that was the last then. */
  #cross(boundary: CompactBoundaryRecord): void {
    if (this.#summary !== boundary.summaryUuid) return;
    this.#summary = undefined;
    this.#goTo(boundary.logicalParentUuid);
  }

  #goTo(uuid: string | null): void {
    this.#begun = true;
    this.wanted = uuid ?? undefined;
    if (uuid === null) this.#over = true;
  }
}

function isSummary(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'compaction';
}
