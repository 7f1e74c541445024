import { closeSync, constants, openSync, readSync, statfsSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type Bounded,
  boundPieces,
  type FinishedOutput,
  memoryOutput,
  type ShellOutput,
} from './shell-text.ts';

const mostCharacters = 30_000;
const tailBytes = 2000;
const leastFree = 1024 * 1024;

/** A name for a file of this call: ids come from outside. */
export function outputName(toolUseId: string, ending: string): string {
  return `bash-${toolUseId.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 80)}.${ending}`;
}

/** On a full disk output is kept in memory, head and tail: the commands that make room must be seen to work. */
export function openOutput(path: string): ShellOutput {
  try {
    if (hasRoom(path)) return fileOutput(path);
  } catch {}
  return memoryOutput(mostCharacters);
}

function hasRoom(path: string): boolean {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize >= leastFree;
}

function fileOutput(path: string): ShellOutput {
  const { O_CREAT, O_TRUNC, O_APPEND, O_WRONLY, O_NOFOLLOW } = constants;
  const target = openSync(path, O_CREAT | O_TRUNC | O_APPEND | O_WRONLY | O_NOFOLLOW, 0o600);
  return {
    target,
    started: () => closeSync(target),
    size: () => sizeOf(path),
    tail: () => readBounded(path, tailBytes).tail,
    finish: () => finishFile(path),
  };
}

function finishFile(path: string): FinishedOutput {
  const bounded = readBounded(path, mostCharacters);
  if (bounded.isWhole) unlinkSync(path);
  const full = hasRoom(path) ? [] : ['The disk is full: output may be missing'];
  if (bounded.isWhole) return { text: bounded.text, notes: full };
  const what = bounded.text === '' ? 'Binary output, not shown' : 'Full output';
  return { text: bounded.text, notes: [`${what}, ${bounded.size} bytes: ${path}`, ...full], file: path };
}

/** Head and tail of a file as text that is safe to show, however large the file is. */
export function readBounded(path: string, most: number): Bounded {
  const size = sizeOf(path);
  // A character takes up to four bytes, and escape sequences are taken out.
  const share = most * 4;
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY);
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

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
