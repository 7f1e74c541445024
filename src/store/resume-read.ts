import { type Disk, systemDisk } from '../lib/files/disk.ts';
import { measureFile } from '../lib/files/small-files.ts';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { ok, type Result } from '../lib/result.ts';
import type { MessageRecord, TranscriptRecord } from '../protocol/record.ts';
import { checkRecord } from './check-record.ts';
import { readEpoch } from './epoch-order.ts';
import { skimTranscript } from './skim.ts';
import { type LoadedTranscript, loadTranscript } from './transcript.ts';

/** Shorter ones are read completely; a shortcut would not be faster. */
const longTranscript = 4 * 1024 * 1024;
/** A conversation larger than this has never been compacted: all of it is needed. */
const maxConversation = 16 * 1024 * 1024;

/**
 * The part of a transcript that resuming needs: the conversation from its end back to its start, and from everything before
 * that only the records that are not messages. Anything unusual is read completely, so that repairs are the same as there.
 */
export async function loadForResume(
  path: string,
  longFrom = longTranscript,
  disk: Disk = systemDisk,
): Promise<Result<LoadedTranscript>> {
  const size = measureFile(path, disk);
  const ends = size < longFrom ? undefined : await loadEnds(path, disk);
  return ends ?? loadTranscript(path, disk);
}

/** Undefined where the whole file must be read. */
async function loadEnds(path: string, disk: Disk): Promise<Result<LoadedTranscript> | undefined> {
  const chain = new ChainEnd();
  const tail = readJsonlTail(path, (found) => chain.take(found), maxConversation, undefined, disk);
  if (!tail.ok || tail.value.damage.length > 0 || !chain.isWhole || tail.value.fromStart) return undefined;
  const skimmed = await skimTranscript(path, tail.value.offset, disk);
  if (!skimmed.ok) return undefined;
  const { header, records, damage, unknown, hasRewind } = skimmed.value;
  const { epoch, hasLate, messages } = skimmed.value;
  if (!header || hasRewind || hasLate || chain.isOutOfOrder(epoch)) return undefined;
  if (!beginsAtLast(records, messages, chain.records)) return undefined;
  return ok({
    path,
    header,
    isPartial: true,
    damage,
    records: [...records, ...chain.records.reverse()],
    unknown: unknown + chain.unknown,
    epoch: Math.max(epoch, chain.newestEpoch),
    late: [],
  });
}

/** Whether the conversation starts at the last compaction, and that was finished. `chain` is from last to first. */
function beginsAtLast(
  before: LoadedTranscript['records'],
  messages: number,
  chain: LoadedTranscript['records'],
): boolean {
  const boundary = before.findLast((record) => record.type === 'compact-boundary');
  // Messages from before the first one: lines were moved.
  if (!boundary) return messages === 0;
  const uuids = new Set(chain.map((record) => ('uuid' in record ? record.uuid : '')));
  return [boundary.summaryUuid, ...boundary.keptUuids].every((uuid) => uuids.has(uuid));
}

/** Collects records from last to first until the conversation's first message. */
class ChainEnd {
  readonly records: LoadedTranscript['records'] = [];
  unknown = 0;
  isWhole = false;
  newestEpoch = 0;
  #oldestEpoch = Number.POSITIVE_INFINITY;
  #wanted: string | null | undefined;
  #strange = false;

  /** True when there is enough, or reading further is pointless. */
  take(found: Record<string, unknown>): boolean {
    const checked = checkRecord(found);
    this.#noteEpoch(readEpoch(found));
    if (checked.kind === 'unknown') this.unknown++;
    else if (checked.kind === 'bad' || checked.record.type === 'cadre-transcript') this.#strange = true;
    else this.#add(checked.record);
    return this.#strange || this.isWhole;
  }

  /** True when records of a process that had been passed are among these, or `before` them. */
  isOutOfOrder(before: number): boolean {
    return before > this.#oldestEpoch;
  }

  /** From last to first, epochs only fall. */
  #noteEpoch(epoch: number): void {
    if (epoch === 0) return;
    if (epoch > this.#oldestEpoch) this.#strange = true;
    this.newestEpoch = Math.max(this.newestEpoch, epoch);
    this.#oldestEpoch = epoch;
  }

  #add(record: Exclude<TranscriptRecord, { type: 'cadre-transcript' }>): void {
    this.records.push(record);
    if (record.type === 'user' || record.type === 'assistant') this.#follow(record);
    // An unfinished compaction and a rewound conversation need the whole file.
    else if (record.type === 'rewind' || record.type === 'compact-boundary') this.#strange = true;
  }

  #follow({ uuid, parentUuid }: MessageRecord): void {
    if (this.#wanted !== undefined && uuid !== this.#wanted) this.#strange = true;
    this.#wanted = parentUuid;
    this.isWhole = parentUuid === null && !this.#strange;
  }
}
