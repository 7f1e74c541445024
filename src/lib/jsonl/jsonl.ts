import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { describeFileError } from '../files/files.ts';
import { openRegular } from '../files/open-regular.ts';
import { fail, failure, ok, type Result } from '../result.ts';

export { type Damage, type RecordPlace, readJsonl } from './jsonl-read.ts';
export { readJsonlTail, type TailRead } from './jsonl-tail.ts';

export interface JsonlWriter {
  readonly path: string;
  /** One record, one line, one write. After a failure the file is as it was before. */
  append(record: object): Result<void>;
  close(): void;
}

/**
 * Opens a file of one JSON record per line for appending; `create` makes it and refuses an existing one. Several writers may
 * append to one file: each line is a single write at the end.
 */
export function openJsonlWriter(path: string, how: 'create' | 'existing' | 'either'): Result<JsonlWriter> {
  try {
    const file = openRegular(path, chooseOpenFlags(how));
    const status = fstatSync(file);
    if (status.uid === process.getuid?.() && (status.mode & 0o077) !== 0) fchmodSync(file, 0o600);
    return ok(writerOn(file, path));
  } catch (error) {
    return fail(describeFileError(error, path, 'open'));
  }
}

function chooseOpenFlags(how: 'create' | 'existing' | 'either'): number {
  // A link in its place would lead our records, and its new mode, to somebody else's file.
  const append = constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW;
  if (how === 'existing') return append;
  return append | constants.O_CREAT | (how === 'create' ? constants.O_EXCL : 0);
}

function writerOn(file: number, path: string): JsonlWriter {
  let torn = !endsWithNewline(file);
  let open = true;
  return {
    path,
    append(record) {
      // The descriptor's number may belong to another file by now.
      if (!open) return failure(`Cannot write ${path}: it was closed.`);
      const line = Buffer.from(`${torn ? '\n' : ''}${JSON.stringify(record)}\n`);
      const status = fstatSync(file);
      const lost = describeLost(path, status);
      if (lost) return lost;
      const before = status.size;
      try {
        for (let done = 0; done < line.length; ) done += writeSync(file, line, done);
        torn = false;
        return ok(undefined);
      } catch (error) {
        torn = !takeBack(file, before, line) || torn;
        return fail(describeFileError(error, path, 'write'));
      }
    },
    close() {
      if (open) closeSync(file);
      open = false;
    },
  };
}

/** A file that was deleted or replaced takes every record and keeps none. */
function describeLost(path: string, { dev, ino }: Stats): Result<never> | undefined {
  const now = statSync(path, { throwIfNoEntry: false });
  if (now?.dev === dev && now.ino === ino) return undefined;
  return failure(
    `Cannot write ${path}: it was ${now ? 'replaced' : 'deleted'} while it was open, so nothing more is stored there.`,
    'Put the file back and try again, or start a new session.',
  );
}

/** False when a crash left half a line or a block of NULs at the end, which the next record must not join. */
function endsWithNewline(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === 0x0a;
}

/** Cuts off the part of a line that was written, unless another writer's record has followed it. */
function takeBack(file: number, before: number, line: Buffer): boolean {
  try {
    const { size } = fstatSync(file);
    if (size === before) return true;
    if (size < before || size - before > line.length) return false;
    const written = Buffer.alloc(size - before);
    readSync(file, written, 0, written.length, before);
    if (!written.equals(line.subarray(0, written.length))) return false;
    ftruncateSync(file, before);
    return true;
  } catch {
    return false;
  }
}
