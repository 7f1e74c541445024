import { isUtf8 } from 'node:buffer';

/** A part of a file that could not be read as a record. Everything around it was. */
export interface Damage {
  /** From 1; 0 where it was read from the end and lines are not counted. */
  line: number;
  offset: number;
  length: number;
  reason: string;
  /** The last line, without its end: a write that was cut off. */
  isCutOff?: true;
}

/** The position of a record. */
export interface RecordPlace {
  line: number;
  offset: number;
  length: number;
}

export interface LineReader {
  /** Returning false stops reading. */
  onRecord(record: Record<string, unknown>, place: RecordPlace): boolean | undefined;
  onDamage(damage: Damage): void;
}

export const nulBlock = 'a block of NUL bytes';

/** A longer line is not a record of ours; it is skipped without being held in memory. */
export const maxLineBytes = 256 * 1024 * 1024;

/**
 * Reads one line. A crash can leave a block of NULs before or after the written bytes, so the parts between NULs are read
 * separately. Returns false when the reader wants no more.
 */
export function readLine(bytes: Buffer, place: RecordPlace, reader: LineReader): boolean {
  if (!bytes.includes(0)) return readPart(bytes, place, reader);
  let wanted = true;
  for (const [start, end] of partsBetweenNuls(bytes)) {
    const part = { line: place.line, offset: place.offset + start, length: end - start };
    if (bytes[start] === 0) reader.onDamage({ ...part, reason: nulBlock });
    else if (wanted) wanted = readPart(bytes.subarray(start, end), part, reader);
  }
  return wanted;
}

function readPart(bytes: Buffer, place: RecordPlace, reader: LineReader): boolean {
  const record = parse(bytes);
  if (typeof record === 'object') return reader.onRecord(record, place) !== false;
  if (record !== 'empty') reader.onDamage({ ...place, reason: record });
  return true;
}

function parse(bytes: Buffer): Record<string, unknown> | string {
  if (!isUtf8(bytes)) return 'not UTF-8';
  const text = bytes.toString('utf8').trim();
  if (text === '') return 'empty';
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    return 'not a JSON object';
  } catch {
    return 'incomplete JSON';
  }
}

/** Splits into runs of NULs and runs of anything else, in order. */
function* partsBetweenNuls(bytes: Buffer): Generator<[start: number, end: number]> {
  for (let start = 0; start < bytes.length; ) {
    let end: number;
    if (bytes[start] === 0) {
      end = start + 1;
      while (end < bytes.length && bytes[end] === 0) end++;
    } else {
      end = bytes.indexOf(0, start);
      if (end === -1) end = bytes.length;
    }
    yield [start, end];
    start = end;
  }
}
