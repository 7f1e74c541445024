import { collectGarbage } from '../memory.ts';

const kept = 64 * 1024;
/** From this size on, memory left over from growing is worth freeing. */
const large = 1024 * 1024;

/** Bytes that arrive in pieces, as one. Small pieces cost no more than large ones, and a large buffer is not kept. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length, 1024));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
      if (grown.length > large) collectGarbage();
    }
    this.#bytes.set(piece, this.#length);
    this.#length = needed;
  }

  /** The bytes so far; valid until the next piece is added. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > kept) this.#bytes = new Uint8Array(0);
  }
}
