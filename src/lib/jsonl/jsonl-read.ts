import { type Disk, type DiskFile, systemDisk } from '../files/disk.ts';
import { describeFileError } from '../files/files.ts';
import { fail, ok, type Result } from '../result.ts';
import { type LineReader, maxLineBytes, nulBlock, readLine } from './jsonl-line.ts';

export type { Damage, RecordPlace } from './jsonl-line.ts';

const chunkBytes = 256 * 1024;

/**
 * Reads every good record of a file in order, in chunks. Lines that are torn, overwritten with NULs or not JSON are reported
 * and skipped. A last line without a newline is accepted when it is complete.
 */
export async function readJsonl(
  path: string,
  reader: LineReader,
  disk: Disk = systemDisk,
): Promise<Result<void>> {
  let file: DiskFile | undefined;
  try {
    file = disk.open(path, { access: 'read' });
    const lines = splitLines(reader);
    for (let position = 0; ; ) {
      const buffer = Buffer.allocUnsafe(chunkBytes);
      const bytesRead = await file.readSoon(buffer, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      if (!lines.push(buffer.subarray(0, bytesRead))) return ok(undefined);
    }
    lines.end();
    return ok(undefined);
  } catch (error) {
    return fail(describeFileError(error, path, 'read'));
  } finally {
    file?.close();
  }
}

/** Turns chunks into lines. Pieces of a long line are joined once, when it ends. */
function splitLines(reader: LineReader): { push(chunk: Buffer): boolean; end(): void } {
  let pieces: Buffer[] = [];
  let length = 0;
  let line = 1;
  let offset = 0;

  const finish = (isLast = false): boolean => {
    const place = { line, offset, length };
    const whole = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
    const bytes = length > maxLineBytes ? undefined : whole;
    pieces = [];
    length = 0;
    if (bytes) return readLine(bytes, place, isLast ? noteCutOff(reader) : reader);
    reader.onDamage({ ...place, reason: 'a line too long to be a record' });
    return true;
  };
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length > maxLineBytes) pieces = [];
    else pieces.push(piece);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
        add(chunk.subarray(start, end));
        const next = offset + length + 1;
        if (!finish()) return false;
        offset = next;
        line++;
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
      return true;
    },
    end() {
      if (length > 0) finish(true);
    },
  };
}

/** A block of NULs is not the beginning of a line: what was there is lost. */
function noteCutOff(reader: LineReader): LineReader {
  return {
    onRecord: (record, place) => reader.onRecord(record, place),
    onDamage: (damage) =>
      reader.onDamage(damage.reason === nulBlock ? damage : { ...damage, isCutOff: true }),
  };
}
