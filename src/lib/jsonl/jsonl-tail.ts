import { type Disk, type DiskFile, systemDisk } from '../files/disk.ts';
import { describeFileError } from '../files/files.ts';
import { fail, ok, type Result } from '../result.ts';
import { type Damage, type LineReader, maxLineBytes, readLine } from './jsonl-line.ts';

export interface TailRead {
  /** In the order of the file. */
  records: Record<string, unknown>[];
  damage: Damage[];
  /** True when nothing comes before these. */
  fromStart: boolean;
  bytesRead: number;
  /** The offset of the first of them, to continue reading from there. */
  offset: number;
}

/** How much of the end is wanted: a number of records, or back to the first one that answers true. */
export type Enough = number | ((record: Record<string, unknown>) => boolean);

const chunkBytes = 64 * 1024;

/**
 * Reads a file's last records backwards from its end, or from the beginning of a line at `end`, and no more than needed or
 * `maxBytes`.
 */
export function readJsonlTail(
  path: string,
  enough: Enough,
  maxBytes = Number.POSITIVE_INFINITY,
  end = Number.POSITIVE_INFINITY,
  disk: Disk = systemDisk,
): Result<TailRead> {
  let file: DiskFile | undefined;
  try {
    file = disk.open(path, { access: 'read' });
    return ok(readBackwards(file, enough, maxBytes, end));
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    file?.close();
  }
}

function readBackwards(file: DiskFile, enough: Enough, maxBytes: number, end: number): TailRead {
  const size = Math.min(file.stat().size, end);
  const tail = collect(enough);
  let position = size;
  let pieces: Buffer[] = [];
  let held = 0;
  let reached = size;

  /** A line's bytes are complete: from `start` in the file to the newline that was seen after it. */
  const finish = (first: Buffer, start: number) => {
    const place = { line: 0, offset: start, length: first.length + held };
    if (place.length > maxLineBytes) tail.damaged({ ...place, reason: 'a line too long to be a record' });
    else tail.line(Buffer.concat([first, ...pieces]), place);
    pieces = [];
    held = 0;
    reached = start;
  };
  const hold = (piece: Buffer) => {
    held += piece.length;
    pieces = held > maxLineBytes ? [] : [piece, ...pieces];
  };

  while (position > 0 && !tail.full() && size - position < maxBytes) {
    const chunk = readChunk(file, position);
    position -= chunk.length;
    let end = chunk.length;
    while (end > 0 && !tail.full()) {
      const newline = chunk.lastIndexOf(0x0a, end - 1);
      if (newline === -1) break;
      finish(chunk.subarray(newline + 1, end), position + newline + 1);
      end = newline;
    }
    if (!tail.full()) hold(chunk.subarray(0, end));
  }
  if (position === 0 && !tail.full()) finish(Buffer.alloc(0), 0);
  return { ...tail.result(), fromStart: reached === 0, bytesRead: size - position, offset: reached };
}

function readChunk(file: DiskFile, end: number): Buffer {
  const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end));
  const read = file.read(chunk, end - chunk.length);
  // The file was truncated during reading: the missing part at its end is treated as empty.
  return read === chunk.length ? chunk : chunk.fill(0x0a, read);
}

/** Takes lines from last to first until there are enough. */
function collect(enough: Enough) {
  const records: Record<string, unknown>[] = [];
  const damage: Damage[] = [];
  let full = enough === 0;

  const line = (bytes: Buffer, place: { line: number; offset: number; length: number }) => {
    const found: Record<string, unknown>[] = [];
    const reader: LineReader = {
      onRecord: (record) => void found.push(record),
      onDamage: (one) => damage.push(one),
    };
    readLine(bytes, place, reader);
    for (const record of found.reverse()) {
      if (full) return;
      records.push(record);
      full = typeof enough === 'number' ? records.length >= enough : enough(record);
    }
  };
  return {
    line,
    damaged: (one: Damage) => void damage.push(one),
    full: () => full,
    result: () => ({ records: records.reverse(), damage: damage.reverse() }),
  };
}
