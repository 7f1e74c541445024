import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { getErrorCode, type Problem } from '../result.ts';
import { encodePath } from './exact-paths.ts';
import { describeFileError } from './files.ts';

/** The result of reading a file that others may have written. */
export type Bounded =
  | { readonly state: 'read'; readonly bytes: Buffer; readonly stat: Stats }
  /** Nothing exists there, or a file is in the place of a directory on the way. */
  | { readonly state: 'missing' }
  /** Neither this user nor their commands may read it. */
  | { readonly state: 'refused'; readonly error: unknown }
  /** It is not a regular file, too large, or a link where none is allowed; or the system failed, as given in the error. */
  | { readonly state: 'unreadable'; readonly error?: unknown };

export interface BoundedOptions {
  /** A link at the end of the path is unreadable; otherwise it is followed. */
  readonly refusesLinks?: boolean;
}

/**
 * Reads a whole file of at most this many bytes without blocking. A repository may contain a named pipe, a device or an
 * endless file under any name, and a plain read of one would stop the whole program.
 */
export function readBounded(path: string, most: number, options: BoundedOptions = {}): Bounded {
  const read = readUpTo(path, most + 1, options, ({ size }) => size <= most);
  return read.state === 'read' && read.bytes.length > most ? { state: 'unreadable' } : read;
}

/** The same for the first bytes of a file, whatever its size. */
export function readBeginning(path: string, most: number, options: BoundedOptions = {}): Bounded {
  return readUpTo(path, most, options, () => true);
}

/** The text of a small file; undefined where it cannot be read, for any reason. */
export function readBoundedText(path: string, most: number, options?: BoundedOptions): string | undefined {
  const read = readBounded(path, most, options);
  return read.state === 'read' ? read.bytes.toString('utf8') : undefined;
}

/** Why a file that exists was not read. */
export function describeUnread(
  read: Extract<Bounded, { state: 'refused' | 'unreadable' }>,
  path: string,
  most: number,
): Problem {
  if (read.error !== undefined) return describeFileError(read.error, path, 'read');
  const message = `Cannot read ${path}: it is not a regular file of at most ${most} bytes.`;
  return { kind: 'failure', message, hint: 'Move it elsewhere.' };
}

function readUpTo(
  path: string,
  most: number,
  { refusesLinks = false }: BoundedOptions,
  fits: (stat: Stats) => boolean,
): Bounded {
  try {
    const place = encodePath(path);
    // Checked first: opening some devices starts them.
    const seen = refusesLinks ? lstatSync(place) : statSync(place);
    if (!seen.isFile() || !fits(seen)) return { state: 'unreadable' };
    const descriptor = openSync(place, refusesLinks ? flags | constants.O_NOFOLLOW : flags);
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile() || !fits(stat)) return { state: 'unreadable' };
      return { state: 'read', bytes: readAll(descriptor, most, stat.size), stat };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const state = classifyFailure(getErrorCode(error));
    return state === 'missing' ? { state } : { state, error };
  }
}

/** A pipe that takes the file's place meanwhile does not block, and a terminal does not become ours. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Up to its end: files of the system report size 0, and a file may grow. */
function readAll(descriptor: number, most: number, size: number): Buffer {
  let buffer = Buffer.allocUnsafe(Math.min(size + 1, most));
  let length = 0;
  for (;;) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, length);
    length += count;
    if (count === 0 || length === most) return buffer.subarray(0, length);
    if (length === buffer.length)
      buffer = Buffer.concat([buffer], Math.min(Math.max(2 * length, minReadSize), most));
  }
}

const minReadSize = 4096;

function classifyFailure(code: string | undefined): 'missing' | 'refused' | 'unreadable' {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'EACCES' || code === 'EPERM' ? 'refused' : 'unreadable';
}
