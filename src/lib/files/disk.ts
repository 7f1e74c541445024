import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  read,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { readdirSync, renameSync, unlinkSync } from './exact-files.ts';
import { encodePath } from './exact-paths.ts';
import { openRegular } from './open-regular.ts';

/**
 * The operations on files that logs, atomic files, locks and leases need, as a port: the same code then also runs on a disk
 * in memory (`memoryDisk`) that loses power, fills up or fails. All of them throw the system's error, with its `code`. Not for
 * files of the user, which have links. Where other programs leave files for us, `list` returns exact names (`exact-paths.ts`), and
 * `open`, `stat`, `rename` and `unlink` take them.
 */
export interface Disk {
  /** Anything but a regular file is refused, without waiting for it. */
  open(path: string, how: OpenHow): DiskFile;
  /** Undefined where nothing exists. Follows links. */
  stat(path: string): FileStatus | undefined;
  list(directory: string): string[];
  /** A second name for a file. Fails with EEXIST where the name is taken, so only one of several processes succeeds. */
  link(path: string, second: string): void;
  /** Replaces a file at the target. Does nothing when both are names of one file. */
  rename(path: string, target: string): void;
  unlink(path: string): void;
  /** With the directories above it, for their owner only. False when it existed. */
  makeDirectory(path: string): boolean;
  chmod(path: string, mode: number): void;
  /** Names that were made, moved or removed in it survive a power cut from now on. */
  syncDirectory(path: string): void;
}

export interface OpenHow {
  /**
   * `append`: every write goes to the end, wherever that is by then; the file can also be read. A link in its place is refused:
   * it would lead records, and a new mode, to another file.
   */
  access: 'read' | 'write' | 'append';
  /** `new` fails with EEXIST where one exists; without it a missing file is ENOENT. New files are for their owner only. */
  create?: 'new' | 'missing' | undefined;
}

/** One open file. It stays the same file when its name is moved or removed. */
export interface DiskFile {
  /** Writes bytes from `start` on and returns how many: fewer than there are, when the disk is full. */
  write(bytes: Uint8Array, start: number): number;
  /** Fills the buffer with what is at that position and returns how many bytes; 0 at the end. */
  read(buffer: Uint8Array, position: number): number;
  /** The same without holding up anything else. */
  readSoon(buffer: Uint8Array, position: number): Promise<number>;
  stat(): FileStatus;
  truncate(size: number): void;
  chmod(mode: number): void;
  chown(uid: number, gid: number): void;
  /** The content survives a power cut from now on. */
  sync(): void;
  syncSoon(): Promise<void>;
  close(): void;
}

export interface FileStatus {
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  /** With `ino` the identity of a file, whatever its name. */
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  isFile(): boolean;
}

export const systemDisk: Disk = {
  open: (path, how) => new SystemFile(openRegular(path, chooseFlags(how))),
  stat: (path) => statSync(encodePath(path), { throwIfNoEntry: false }),
  list: readdirSync,
  link: linkSync,
  rename: renameSync,
  unlink: unlinkSync,
  makeDirectory: (path) => mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined,
  chmod: chmodSync,
  syncDirectory(path) {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
};

const { O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

function chooseFlags({ access, create }: OpenHow): number {
  const flags = { read: O_RDONLY, write: O_WRONLY, append: O_RDWR | O_APPEND | O_NOFOLLOW }[access];
  if (!create) return flags;
  return flags | O_CREAT | (create === 'new' ? O_EXCL : 0);
}

/** By hand, since `promisify` loads all of `node:util`, which takes as long as a twentieth of a start. */
export function syncDescriptor(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => fsync(descriptor, (error) => (error ? reject(error) : resolve())));
}

class SystemFile implements DiskFile {
  constructor(private readonly descriptor: number) {}

  write(bytes: Uint8Array, start: number): number {
    return writeSync(this.descriptor, bytes, start);
  }

  read(buffer: Uint8Array, position: number): number {
    return readSync(this.descriptor, buffer, 0, buffer.length, position);
  }

  async readSoon(buffer: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) =>
      read(this.descriptor, buffer, 0, buffer.length, position, (error, count) =>
        error ? reject(error) : resolve(count),
      ),
    );
  }

  stat(): FileStatus {
    return fstatSync(this.descriptor);
  }

  truncate(size: number): void {
    ftruncateSync(this.descriptor, size);
  }

  chmod(mode: number): void {
    fchmodSync(this.descriptor, mode);
  }

  chown(uid: number, gid: number): void {
    fchownSync(this.descriptor, uid, gid);
  }

  sync(): void {
    fsyncSync(this.descriptor);
  }

  async syncSoon(): Promise<void> {
    await syncDescriptor(this.descriptor);
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
