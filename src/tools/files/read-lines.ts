import { readSync } from 'node:fs';
import { openHash } from '../../lib/hash.ts';

export interface Range {
  /** First line, from 1. */
  offset: number;
  limit: number;
}

export interface Lines {
  lines: string[];
  /** Undefined if reading stopped before the end. */
  total: number | undefined;
}

export function selectLines(text: string, range: Range): Lines {
  const lines: string[] = [];
  let total = 0;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    total++;
    if (total >= range.offset && lines.length < range.limit)
      lines.push(withoutReturn(text.slice(start, end)));
    start = end + 1;
  }
  return { lines, total };
}

const chunkSize = 1024 * 1024;
/** More of a line is never shown, so no more is kept. */
const maxLineBytes = 16 * 1024;

/**
 * The same for a file too large to hold. It is read to its end for the hash, unless it is larger than `hashLimit`:
 * then only as far as needed, and there is no hash.
 */
export async function streamLines(
  descriptor: number,
  range: Range,
  hashLimit: number,
): Promise<Lines & { hash: string | undefined }> {
  const picker = pickLines(range);
  const hash = openHash();
  const chunk = Buffer.allocUnsafe(chunkSize);
  let size = 0;
  for (;;) {
    const bytesRead = readSync(descriptor, chunk, 0, chunkSize, size);
    if (bytesRead === 0) return { lines: picker.lines, total: picker.finish(), hash: hash.digest() };
    size += bytesRead;
    const piece = chunk.subarray(0, bytesRead);
    hash.update(piece);
    picker.add(piece);
    // Lets others run between the chunks of a large file.
    await new Promise((resolve) => setImmediate(resolve));
    if (size > hashLimit && picker.isDone())
      return { lines: picker.lines, total: undefined, hash: undefined };
  }
}

function pickLines({ offset, limit }: Range) {
  const lines: string[] = [];
  let number = 1;
  let pieces: Buffer[] = [];
  let kept = 0;
  let isOpen = false;
  const isWanted = () => number >= offset && lines.length < limit;
  const keep = (bytes: Buffer) => {
    isOpen ||= bytes.length > 0;
    if (!isWanted() || kept >= maxLineBytes || bytes.length === 0) return;
    pieces.push(Buffer.from(bytes.subarray(0, maxLineBytes - kept)));
    kept += bytes.length;
  };
  const endLine = () => {
    if (isWanted()) lines.push(withoutReturn(Buffer.concat(pieces).toString('utf8')));
    pieces = [];
    kept = 0;
    isOpen = false;
    number++;
  };
  const add = (chunk: Buffer) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, at));
      endLine();
      start = at + 1;
    }
    keep(chunk.subarray(start));
  };
  const finish = () => {
    if (isOpen) endLine();
    return number - 1;
  };
  return { lines, add, finish, isDone: () => lines.length >= limit };
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
