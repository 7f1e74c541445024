import { isKept, keepBytesSoon } from '../files/kept-bytes.ts';
import type { SnapshotPack } from './pack.ts';

/** The limit of bytes that one session holds and keeps. */
export const maxKeptBytes = 128 * 1024 * 1024;

/**
 * The content of files that commands could destroy. It is held in one file while the session is open; content that a record
 * names is kept under its hash from then on.
 */
export class SnapshotStore {
  #left = maxKeptBytes;
  #directoryIsFull = false;

  constructor(
    readonly directory: string,
    private readonly pack: SnapshotPack,
    /** False once another process has the session. */
    private readonly mayWrite = () => true,
  ) {}

  /** Whether the bytes are held until the session ends. */
  hold(bytes: Uint8Array, hash: string): boolean {
    if (this.pack.has(hash)) return true;
    if (bytes.length > this.#left || !this.pack.add(bytes, hash)) return false;
    this.#left -= bytes.length;
    return true;
  }

  /** Whether the bytes are kept under their hash. */
  keep(bytes: Uint8Array, hash: string): boolean {
    if (!this.pack.has(hash)) {
      if (bytes.length > this.#left) return false;
      this.#left -= bytes.length;
    }
    return this.#keep(bytes, hash);
  }

  /** Content that is only held is kept from now on. */
  keepHeld(hash: string): void {
    if (!this.pack.has(hash) || isKept(this.directory, hash)) return;
    const bytes = this.pack.read(hash);
    if (bytes) this.#keep(bytes, hash);
  }

  #keep(bytes: Uint8Array, hash: string): boolean {
    if (this.#directoryIsFull || !this.mayWrite()) return false;
    const kept = keepBytesSoon(this.directory, bytes, hash);
    if (!kept.ok) this.#directoryIsFull = true;
    return kept.ok;
  }
}
