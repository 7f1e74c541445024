import { isUtf8 } from 'node:buffer';
import { type Disk, type DiskFile, systemDisk } from '../lib/files/disk.ts';
import { describeFileError } from '../lib/files/files.ts';
import { type LineReader, maxLineBytes, readLine } from '../lib/jsonl/jsonl-line.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { type TranscriptRecord, transcriptFormat } from '../protocol/record.ts';
import { checkRecord } from './check-record.ts';
import { readEpoch } from './epoch-order.ts';
import type { LoadedTranscript } from './transcript.ts';

export interface Skimmed extends Omit<LoadedTranscript, 'path' | 'late'> {
  /** There was a rewind: the messages that apply cannot be determined here. */
  hasRewind: boolean;
  /** A process wrote here that no longer had the session: which of its records to ignore is decided by the full reader. */
  hasLate: boolean;
  epoch: number;
  /** Messages that were passed over. */
  messages: number;
}

const chunkBytes = 1024 * 1024;
/** The end of a message's line, where its origin and links are. */
const endBytes = 600;
const beginning = Buffer.from('{"type":"');
const passedOver = ['user"', 'assistant"'].map((name) => Buffer.from(name));
const told = Buffer.from('"kind":"task-notification"');

/**
 * Reads the part of a transcript before `end`. Messages, nearly all of it, are skimmed and not parsed; only those that report
 * the end of a task are returned. A line that does not look like a complete record is parsed carefully, so that damage is
 * reported.
 */
export async function skimTranscript(
  path: string,
  end: number,
  disk: Disk = systemDisk,
): Promise<Result<Skimmed>> {
  const skimmed: Skimmed = {
    records: [],
    damage: [],
    unknown: 0,
    hasRewind: false,
    hasLate: false,
    epoch: 0,
    messages: 0,
  };
  let file: DiskFile | undefined;
  try {
    file = disk.open(path, { access: 'read' });
    const lines = lineSplitter((line, place) => skimLine(line, place, skimmed));
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (let position = 0; position < end; ) {
      const wanted = Math.min(chunkBytes, end - position);
      const bytesRead = await file.readSoon(buffer.subarray(0, wanted), position);
      if (bytesRead === 0) break;
      position += bytesRead;
      lines.push(buffer.subarray(0, bytesRead));
    }
    lines.end();
    return ok(skimmed);
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    file?.close();
  }
}

interface Place {
  line: number;
  offset: number;
  length: number;
}

function skimLine(line: Buffer, place: Place, skimmed: Skimmed): void {
  if (isPlainMessage(line)) {
    skimmed.messages++;
    return;
  }
  const reader: LineReader = {
    onRecord(found, at) {
      const checked = checkRecord(found);
      const epoch = readEpoch(found);
      if (epoch > 0 && epoch < skimmed.epoch) skimmed.hasLate = true;
      skimmed.epoch = Math.max(skimmed.epoch, epoch);
      if (checked.kind === 'unknown') skimmed.unknown++;
      else if (checked.kind === 'bad') skimmed.damage.push({ ...at, reason: checked.reason });
      else add(checked.record, skimmed);
      return true;
    },
    onDamage: (damage) => void skimmed.damage.push(damage),
  };
  readLine(line, place, reader);
}

function add(record: TranscriptRecord, skimmed: Skimmed): void {
  if (record.type === 'rewind') skimmed.hasRewind = true;
  if (record.type !== 'cadre-transcript') skimmed.records.push(record);
  // A newer format is left to the full reader, which refuses it with a message.
  else if (record.format <= transcriptFormat) skimmed.header ??= record;
}

/** A complete message, judged without parsing, that is not about a task. */
function isPlainMessage(line: Buffer): boolean {
  if (line.at(-1) !== 0x7d || line.indexOf(beginning) !== 0) return false;
  const type = line.subarray(beginning.length, beginning.length + 10);
  if (!passedOver.some((name) => type.indexOf(name) === 0)) return false;
  if (line.subarray(-endBytes).includes(told)) return false;
  return !line.includes(0) && isUtf8(line);
}

/** A line that is in one chunk is passed without copying. */
function lineSplitter(take: (line: Buffer, place: Place) => void): {
  push(chunk: Buffer): void;
  end(): void;
} {
  let held: Buffer[] = [];
  let length = 0;
  let number = 1;
  let offset = 0;
  const finish = (last: Buffer) => {
    const whole = held.length === 0 ? last : Buffer.concat([...held, last]);
    const place = { line: number, offset, length: length + last.length };
    // Longer than any record: reported like any invalid line.
    take(place.length > maxLineBytes ? Buffer.from('{') : whole, place);
    offset += place.length + 1;
    number++;
    held = [];
    length = 0;
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
        finish(chunk.subarray(start, end));
        start = end + 1;
      }
      const rest = chunk.subarray(start);
      length += rest.length;
      // The chunk is reused; kept bytes must not change.
      if (rest.length > 0 && length <= maxLineBytes) held.push(Buffer.from(rest));
    },
    end() {
      if (length > 0) finish(Buffer.alloc(0));
    },
  };
}
