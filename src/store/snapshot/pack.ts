import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { hashBytes } from '../../lib/hash.ts';

interface Place {
  at: number;
  size: number;
}

/** A header is a hash, a space, a size and a newline. */
const header = /^([0-9a-f]{64}) (\d{1,9})\n/;
const maxHeader = 64 + 1 + 9 + 1;

/**
 * The bytes of many files in one file. Creating a file for each takes a hundred times as long, and most are never needed:
 * they are removed with the session. Each content has a header, so that another process can read the pack of one that was
 * killed. Best effort: content that cannot be written is not held.
 */
export class SnapshotPack {
  readonly #places = new Map<string, Place>();
  #file: number | undefined;
  #end = 0;

  /** `isFrozen`: the pack of another process is not changed. */
  constructor(
    private readonly path: string,
    private readonly isFrozen = () => false,
  ) {}

  /** Takes over the pack of an earlier process. Without it the first content starts a new pack. */
  continueLeft(): void {
    try {
      const access = this.isFrozen() ? constants.O_RDONLY : constants.O_RDWR;
      this.#file = openSync(this.path, access | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      this.#end = this.#scan(this.#file);
      // A truncated content at the end would hide later ones.
      if (!this.isFrozen()) ftruncateSync(this.#file, this.#end);
    } catch {
      // It does not exist or cannot be read: its content is missing, which is reported where it is needed.
    }
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  /** Whether the bytes are held. */
  add(bytes: Uint8Array, hash: string): boolean {
    if (this.#places.has(hash)) return true;
    if (this.isFrozen()) return false;
    try {
      this.#file ??= createPack(this.path);
      const head = Buffer.from(`${hash} ${bytes.length}\n`, 'latin1');
      writeAt(this.#file, Buffer.concat([head, bytes]), this.#end);
      this.#places.set(hash, { at: this.#end + head.length, size: bytes.length });
      this.#end += head.length + bytes.length;
      return true;
    } catch {
      return false;
    }
  }

  /** Undefined where it is not held, or damaged. */
  read(hash: string): Uint8Array | undefined {
    const place = this.#places.get(hash);
    if (!place || this.#file === undefined) return undefined;
    try {
      const bytes = readAt(this.#file, place);
      return hashBytes(bytes) === hash ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#places.clear();
  }

  /** Called once everything that records name is kept elsewhere. */
  remove(): void {
    this.close();
    if (!this.isFrozen()) removeQuietly(this.path);
  }

  /** Returns the end of the last complete content. */
  #scan(file: number): number {
    const { size: length } = fstatSync(file);
    let at = 0;
    for (;;) {
      const text = readAt(file, { at, size: Math.min(maxHeader, length - at) }).toString('latin1');
      const [head, hash = '', size = '0'] = header.exec(text) ?? [];
      if (head === undefined || at + head.length + Number(size) > length) return at;
      this.#places.set(hash, { at: at + head.length, size: Number(size) });
      at += head.length + Number(size);
    }
  }
}

function createPack(path: string): number {
  ensurePrivateDirectory(dirname(path));
  removeQuietly(path);
  return openSync(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR, 0o600);
}

function writeAt(file: number, bytes: Uint8Array, start: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, start + done);
}

function readAt(file: number, { at, size }: Place): Buffer {
  const bytes = Buffer.alloc(size);
  for (let done = 0; done < size; ) {
    const count = readSync(file, bytes, done, size - done, at + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It did not exist.
  }
}
