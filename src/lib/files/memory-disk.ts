import { dirname, resolve } from 'node:path';
import type { Disk, DiskFile, FileStatus, OpenHow } from './disk.ts';

export interface MemoryDiskOptions {
  /** The time that changes of files get. */
  now?: () => number;
  uid?: number;
}

/** A disk in memory with one directory `/`, for tests and simulations. Its errors have the codes of the system's. */
export function memoryDisk({ now = Date.now, uid = process.getuid?.() ?? 0 }: MemoryDiskOptions = {}): Disk {
  const entries = new Map<string, Inode | 'directory'>([['/', 'directory']]);
  let made = 0;

  const requireDirectory = (path: string) => {
    const found = entries.get(path);
    if (found === undefined) throw new MemoryDiskError('ENOENT', path);
    if (found !== 'directory') throw new MemoryDiskError('ENOTDIR', path);
  };
  const findFile = (path: string): Inode | undefined => {
    requireDirectory(dirname(path));
    const found = entries.get(path);
    if (found === 'directory') throw new MemoryDiskError('EISDIR', path);
    return found;
  };
  const requireFile = (path: string): Inode => {
    const found = findFile(path);
    if (!found) throw new MemoryDiskError('ENOENT', path);
    return found;
  };
  const openInode = (path: string, { access, create }: OpenHow): Inode => {
    const found = findFile(path);
    if (found && create === 'new') throw new MemoryDiskError('EEXIST', path);
    if (found) return found;
    if (!create || access === 'read') throw new MemoryDiskError('ENOENT', path);
    const inode = new Inode(++made, uid, now);
    entries.set(path, inode);
    return inode;
  };

  return {
    open: (path, how) => new MemoryFile(openInode(resolve(path), how), how.access),
    stat(path) {
      const found = entries.get(resolve(path));
      return found === 'directory' ? describeDirectory(uid) : found?.describe();
    },
    list(directory) {
      const parent = resolve(directory);
      requireDirectory(parent);
      const inside = [...entries.keys()].filter((path) => path !== '/' && dirname(path) === parent);
      return inside.map((path) => path.slice(parent === '/' ? 1 : parent.length + 1));
    },
    link(path, second) {
      const inode = requireFile(resolve(path));
      const target = resolve(second);
      requireDirectory(dirname(target));
      if (entries.has(target)) throw new MemoryDiskError('EEXIST', target);
      entries.set(target, inode);
    },
    rename(path, target) {
      const [from, to] = [resolve(path), resolve(target)];
      const inode = requireFile(from);
      if (findFile(to) === inode) return;
      entries.set(to, inode);
      entries.delete(from);
    },
    unlink(path) {
      requireFile(resolve(path));
      entries.delete(resolve(path));
    },
    makeDirectory(path) {
      const target = resolve(path);
      const found = entries.get(target);
      if (found === 'directory') return false;
      if (found) throw new MemoryDiskError('EEXIST', target);
      if (!entries.has(dirname(target))) this.makeDirectory(dirname(target));
      requireDirectory(dirname(target));
      entries.set(target, 'directory');
      return true;
    },
    chmod(path, mode) {
      const found = entries.get(resolve(path));
      if (found === undefined) throw new MemoryDiskError('ENOENT', path);
      if (found !== 'directory') found.mode = mode;
    },
    syncDirectory: (path) => requireDirectory(resolve(path)),
  };
}

class MemoryDiskError extends Error {
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

/** Directories of a memory disk belong to its user alone. */
function describeDirectory(uid: number): FileStatus {
  return { size: 0, mode: 0o700, uid, dev: 1, ino: 0, mtimeMs: 0, isFile: () => false };
}

/** A file without its names. The buffer is larger than the content, so that appending stays cheap. */
class Inode {
  readonly #now: () => number;
  #buffer = Buffer.alloc(0);
  #size = 0;
  #changed: number;
  mode = 0o600;

  constructor(
    private readonly number: number,
    private readonly uid: number,
    now: () => number,
  ) {
    this.#now = now;
    this.#changed = now();
  }

  get size(): number {
    return this.#size;
  }

  describe(): FileStatus {
    return {
      size: this.#size,
      mode: this.mode,
      uid: this.uid,
      dev: 1,
      ino: this.number,
      mtimeMs: this.#changed,
      isFile: () => true,
    };
  }

  put(bytes: Uint8Array, position: number): void {
    this.resize(Math.max(this.#size, position + bytes.length));
    this.#buffer.set(bytes, position);
  }

  take(buffer: Uint8Array, position: number): number {
    const found = this.#buffer.subarray(position, Math.min(this.#size, position + buffer.length));
    buffer.set(found);
    return found.length;
  }

  resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#buffer.length, 256));
      larger.set(this.#buffer.subarray(0, this.#size));
      this.#buffer = larger;
    }
    if (size < this.#size) this.#buffer.fill(0, size, this.#size);
    this.#size = size;
    this.#changed = this.#now();
  }
}

class MemoryFile implements DiskFile {
  #position = 0;
  #open = true;

  constructor(
    private readonly inode: Inode,
    private readonly access: OpenHow['access'],
  ) {}

  write(bytes: Uint8Array, start: number): number {
    this.#require('write');
    const wanted = bytes.subarray(start);
    const position = this.access === 'append' ? this.inode.size : this.#position;
    this.inode.put(wanted, position);
    this.#position = position + wanted.length;
    return wanted.length;
  }

  read(buffer: Uint8Array, position: number): number {
    this.#require('read');
    return this.inode.take(buffer, position);
  }

  async readSoon(buffer: Uint8Array, position: number): Promise<number> {
    return this.read(buffer, position);
  }

  stat(): FileStatus {
    this.#require();
    return this.inode.describe();
  }

  truncate(size: number): void {
    this.#require('write');
    this.inode.resize(size);
  }

  chmod(mode: number): void {
    this.#require();
    this.inode.mode = mode;
  }

  chown(): void {
    this.#require();
  }

  sync(): void {
    this.#require();
  }

  async syncSoon(): Promise<void> {
    this.#require();
  }

  close(): void {
    this.#require();
    this.#open = false;
  }

  #require(use?: 'read' | 'write'): void {
    if (!this.#open || (use && this.access !== 'append' && this.access !== use))
      throw new MemoryDiskError('EBADF', 'file');
  }
}
