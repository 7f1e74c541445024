import { type Disk, type DiskFile, type FileStatus, type OpenHow, systemDisk } from '../files/disk.ts';
import { describeFileError } from '../files/files.ts';
import { fail, failure, ok, type Result } from '../result.ts';

export { type Damage, type RecordPlace, readJsonl } from './jsonl-read.ts';
export { readJsonlTail, type TailRead } from './jsonl-tail.ts';

export interface JsonlWriter {
  readonly path: string;
  /** One record, one line, one write. After a failure the file is as it was before. */
  append(record: object): Result<void>;
  /** What was written so far survives a power cut soon, at the latest once it is closed. A failure is ignored. */
  syncSoon(): void;
  /** When what was to be synced so far is on the disk; undefined if it is. */
  synced(): Promise<void> | undefined;
  close(): void;
}

/** Sees every line that was written, with the file's size right before. Not called for a write that failed. */
export interface AppendWatcher {
  appended(file: DiskFile, line: Uint8Array, before: number): void;
  /** Right before the file is closed. */
  closing(file: DiskFile): void;
}

/**
 * Opens a file of one JSON record per line for appending; `create` makes it and refuses an existing one. Several writers may
 * append to one file: each line is a single write at the end.
 */
export function openJsonlWriter(
  path: string,
  how: 'create' | 'existing' | 'either',
  disk: Disk = systemDisk,
  watcher?: AppendWatcher,
): Result<JsonlWriter> {
  try {
    const file = disk.open(path, { access: 'append', create: creation[how] });
    const status = file.stat();
    if (status.uid === process.getuid?.() && (status.mode & 0o077) !== 0) file.chmod(0o600);
    return ok(writerOn(file, path, disk, watcher));
  } catch (error) {
    return fail(describeFileError(error, path, 'open'));
  }
}

const creation = { create: 'new', existing: undefined, either: 'missing' } satisfies Record<
  string,
  OpenHow['create']
>;

function writerOn(file: DiskFile, path: string, disk: Disk, watcher: AppendWatcher | undefined): JsonlWriter {
  let torn = !endsWithNewline(file);
  /** Others may add to it; it is never shorter than after our last record. */
  let written = 0;
  let open = true;
  let syncing: Promise<void> | undefined;
  /** Of what was written since that one began. */
  let nextSync: Promise<void> | undefined;
  const sync = (): Promise<void> => {
    // The records are with the operating system all the same.
    const done = file.syncSoon().catch(() => {});
    syncing = done.then(() => {
      syncing = undefined;
    });
    return syncing;
  };
  return {
    path,
    append(record) {
      // The descriptor's number may belong to another file by now.
      if (!open) return failure(`Cannot write ${path}: it was closed.`);
      const line = Buffer.from(`${torn ? '\n' : ''}${JSON.stringify(record)}\n`);
      let before: number | undefined;
      try {
        const status = file.stat();
        const lost = describeLost(path, status, disk.stat(path), written);
        if (lost) return lost;
        before = status.size;
        for (let done = 0; done < line.length; ) done += file.write(line, done);
        torn = false;
        written = before + line.length;
      } catch (error) {
        torn = (before !== undefined && !takeBack(file, before, line)) || torn;
        return fail(describeFileError(error, path, 'write'));
      }
      watcher?.appended(file, line, before);
      return ok(undefined);
    },
    syncSoon() {
      if (!open) return;
      if (!syncing) void sync();
      else
        nextSync ??= syncing.then(() => {
          nextSync = undefined;
          return open ? sync() : undefined;
        });
    },
    synced: () => nextSync ?? syncing,
    close() {
      if (!open) return;
      watcher?.closing(file);
      if (syncing) syncQuietly(file);
      file.close();
      open = false;
    },
  };
}

function syncQuietly(file: DiskFile): void {
  try {
    file.sync();
  } catch {
    // The records are with the operating system all the same.
  }
}

/** A file that was deleted or replaced takes every record and keeps none; one that was shortened has lost earlier ones. */
function describeLost(
  path: string,
  { dev, ino, size }: FileStatus,
  now: FileStatus | undefined,
  written: number,
): Result<never> | undefined {
  if (now?.dev === dev && now.ino === ino && size >= written) return undefined;
  const how = !now ? 'deleted' : now.ino === ino && now.dev === dev ? 'shortened' : 'replaced';
  return failure(
    `Cannot write ${path}: it was ${how} while it was open, so nothing more is stored there.`,
    'Put the file back and try again, or start a new session.',
  );
}

/** False when a crash left half a line or a block of NULs at the end, which the next record must not join. */
function endsWithNewline(file: DiskFile): boolean {
  const { size } = file.stat();
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  file.read(last, size - 1);
  return last[0] === 0x0a;
}

/** Cuts off the part of a line that was written, unless another writer's record has followed it. */
function takeBack(file: DiskFile, before: number, line: Buffer): boolean {
  try {
    const { size } = file.stat();
    if (size === before) return true;
    if (size < before || size - before > line.length) return false;
    const written = Buffer.alloc(size - before);
    file.read(written, before);
    if (!written.equals(line.subarray(0, written.length))) return false;
    file.truncate(before);
    return true;
  } catch {
    return false;
  }
}
