import { closeSync, constants, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { openRegular } from '../../lib/files/open-regular.ts';
import { openHash } from '../../lib/hash.ts';
import { getErrorCode } from '../../lib/result.ts';
import { type BoundedText, boundPieces } from './text.ts';

/** The output of a command: head and tail in memory for the context, all of it in a file if it is large. */
export interface ShellOutput {
  add(chunk: Uint8Array): void;
  size(): number;
  /** The newest output, for a live view. */
  tail(): string;
  finish(): FinishedOutput;
  /** SHA-256 of everything so far, for its end. */
  digest(): string;
  /** Everything so far and from now on goes to this file. */
  moveTo(path: string): void;
  close(): void;
}

export interface FinishedOutput {
  text: string;
  notes: string[];
  /** The whole output, if the text is not the whole. */
  file?: string;
}

/** A name for a file of this call: ids come from outside. */
export function outputName(toolUseId: string, ending: string): string {
  return `bash-${toolUseId.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 80)}.${ending}`;
}

/** Most outputs never touch the disk. If a large one cannot be written, head and tail still exist. */
export function openOutput(path: string, maxCharacters: number): ShellOutput {
  // A character takes up to four bytes, and escape sequences are removed.
  const shareBytes = maxCharacters * 4;
  const ends = new HeadAndTail(shareBytes);
  const file = new SpillFile(path);
  const hash = openHash();
  let isMoved = false;
  const bounded = () => boundPieces(ends.head(), ends.tail(), ends.size, maxCharacters);
  return {
    add(chunk) {
      hash.update(chunk);
      if (isMoved) file.write(undefined, chunk);
      else if (ends.size + chunk.length > shareBytes)
        file.write(ends.size <= shareBytes ? ends.head() : undefined, chunk);
      ends.add(chunk);
    },
    size: () => ends.size,
    tail: () => bounded().tail.slice(-1000),
    finish() {
      const { text, isWhole, size } = bounded();
      if (isWhole) return { text, notes: [] };
      // Binary output is not shown at all, so it is kept even if small.
      if (ends.size <= shareBytes) file.write(undefined, ends.head());
      file.close();
      if (file.problem) return { text, notes: [file.problem] };
      const what = text === '' ? 'Binary output, not shown' : 'Full output';
      return { text, notes: [`${what}, ${size} bytes: ${path}`], file: path };
    },
    moveTo(other) {
      file.moveTo(other);
      if (ends.size <= shareBytes) file.write(undefined, ends.head());
      isMoved = true;
    },
    digest: () => hash.digest(),
    close: () => file.close(),
  };
}

/** Keeps the first and the last bytes of a stream. */
class HeadAndTail {
  size = 0;
  #head: Uint8Array[] = [];
  #headSize = 0;
  #tail: Uint8Array[] = [];
  #tailSize = 0;

  constructor(private readonly share: number) {}

  add(chunk: Uint8Array): void {
    this.size += chunk.length;
    const room = this.share - this.#headSize;
    if (room > 0) {
      this.#head.push(chunk.subarray(0, room));
      this.#headSize += Math.min(room, chunk.length);
    }
    if (chunk.length > room) this.#addToTail(chunk.subarray(Math.max(0, room)));
  }

  head(): Buffer {
    return Buffer.concat(this.#head);
  }

  tail(): Buffer {
    return Buffer.concat(this.#tail).subarray(-this.share);
  }

  #addToTail(chunk: Uint8Array): void {
    this.#tail.push(chunk);
    this.#tailSize += chunk.length;
    for (
      let first = this.#tail[0];
      first && this.#tailSize - first.length >= this.share;
      first = this.#tail[0]
    ) {
      this.#tail.shift();
      this.#tailSize -= first.length;
    }
  }
}

/** A file created when there is something to write, and given up at the first failure. */
class SpillFile {
  #descriptor: number | undefined;
  problem: string | undefined;

  constructor(private path: string) {}

  /** Data already written is moved along. */
  moveTo(path: string): void {
    try {
      if (this.#descriptor !== undefined) renameSync(this.path, path);
    } catch (error) {
      this.problem ??= `${path} cannot be written (${getErrorCode(error)})`;
    }
    this.path = path;
  }

  /** `before` is earlier output, written first if the file is new. */
  write(before: Uint8Array | undefined, chunk: Uint8Array): void {
    if (this.problem) return;
    try {
      const isNew = this.#descriptor === undefined;
      this.#descriptor ??= openForAppending(this.path);
      if (isNew && before) writeAll(this.#descriptor, before);
      writeAll(this.#descriptor, chunk);
    } catch (error) {
      const why =
        getErrorCode(error) === 'ENOSPC'
          ? 'The disk is full'
          : `${this.path} cannot be written (${getErrorCode(error)})`;
      this.problem = `${why}, so only this much of the output was kept`;
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Appends to a file of a background command, which others read while it grows. */
export function openForAppending(path: string): number {
  const { O_CREAT, O_APPEND, O_WRONLY, O_NOFOLLOW } = constants;
  return openRegular(path, O_CREAT | O_APPEND | O_WRONLY | O_NOFOLLOW);
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

/** What is said where the output file of a command that was started is not there; undefined if it is. */
export function describeLostOutput(path: string): string | undefined {
  if (statSync(path, { throwIfNoEntry: false })) return undefined;
  return `Its output is lost: ${path} was deleted while it ran.`;
}

/** Head and tail of a file as text that is safe to show, however large the file is. */
export function readBounded(path: string, most: number): BoundedText {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const share = most * 4;
  let file: number;
  try {
    file = openRegular(path);
  } catch {
    return boundPieces(Buffer.alloc(0), Buffer.alloc(0), 0, most);
  }
  try {
    if (size <= 2 * share) return boundPieces(readAt(file, 0, size), Buffer.alloc(0), size, most);
    return boundPieces(readAt(file, 0, share), readAt(file, size - share, share), size, most);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, position + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}
