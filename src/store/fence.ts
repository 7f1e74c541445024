import { type Clock, timestamp } from '../lib/clock.ts';
import { type Disk, systemDisk } from '../lib/files/disk.ts';
import { readJsonlTail } from '../lib/jsonl/jsonl.ts';
import { ok, type Result } from '../lib/result.ts';
import type { EpochRecord, TranscriptRecord } from '../protocol/record.ts';
import { readEpoch } from './epoch-order.ts';
import { reopenTranscript, type Transcript } from './transcript.ts';

/** The right to write a session's transcripts, and the number that every record carries. */
export interface WriteFence {
  readonly epoch: number;
  /** The process that writes. */
  readonly pid: number;
  /** Fails once another process has the session. */
  check(): Result<void>;
}

/**
 * A transcript whose records carry their writer's epoch. Nothing is written once the right is lost; a record of a writer that was
 * paused between the check and the write comes after one of a later epoch, and readers ignore it.
 */
export function fenceTranscript(transcript: Transcript, fence: WriteFence | undefined): Transcript {
  if (!fence) return transcript;
  return {
    path: transcript.path,
    append(record) {
      const held = fence.check();
      if (!held.ok) return held;
      const written = transcript.append(stampEpoch(record, fence));
      // Paused in between, it comes too late, and nobody may be told of it.
      return written.ok ? fence.check() : written;
    },
    synced: () => transcript.synced(),
    close: () => transcript.close(),
  };
}

/** At the end of the line, where readers that skim do not look. */
export function stampEpoch<T extends TranscriptRecord>(
  record: T,
  { epoch }: WriteFence,
): T & { epoch: number } {
  return { ...record, epoch };
}

/** The first record of a writer in a transcript that exists: from here on, those of earlier writers are ignored. */
export function makeEpochRecord({ epoch, pid }: WriteFence, clock: Clock): EpochRecord {
  return { type: 'epoch', timestamp: timestamp(clock), pid, epoch };
}

/** Closes a transcript to its earlier writers, before it is read. A missing one needs nothing. */
export function closeToEarlier(
  path: string,
  fence: WriteFence,
  clock: Clock,
  disk: Disk = systemDisk,
): Result<void> {
  if (disk.stat(path) === undefined) return ok(undefined);
  const opened = reopenTranscript(path, disk);
  if (!opened.ok) return opened;
  const written = opened.value.append(makeEpochRecord(fence, clock));
  opened.value.close();
  return written;
}

/**
 * The newest epoch at the end of a transcript; 0 where there is none. A writer that was passed adds one record at most, so a few
 * are enough.
 */
export function readNewestEpoch(path: string, disk: Disk = systemDisk): number {
  const tail = readJsonlTail(path, fewRecords, undefined, undefined, disk);
  return tail.ok ? Math.max(0, ...tail.value.records.map(readEpoch)) : 0;
}

const fewRecords = 16;
