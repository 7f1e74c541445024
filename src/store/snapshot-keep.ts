import { keepBytesSoon } from './kept-bytes.ts';

/** The limit of kept bytes for one session. */
export const maxKeptBytes = 128 * 1024 * 1024;

/** The kept bytes of a session, up to a limit. */
export class SnapshotStore {
  #left = maxKeptBytes;
  #directoryIsFull = false;

  constructor(private readonly directory: string) {}

  /** Whether the bytes are kept under their hash. */
  keep(bytes: Uint8Array, hash: string): boolean {
    if (this.#directoryIsFull || bytes.length > this.#left) return false;
    const kept = keepBytesSoon(this.directory, bytes, hash);
    if (kept.ok) this.#left -= bytes.length;
    else this.#directoryIsFull = true;
    return kept.ok;
  }
}
