import { openHash } from '../../lib/hash.ts';

/** A point of a chain: where it is in the file, and the hash of everything from the chain's start up to there. */
export interface ChainPoint {
  /** Bytes of the file up to the end of the last complete line. */
  bytes: number;
  /** Complete lines since the start of the chain. */
  lines: number;
  hash: string;
}

/** The hash of a chain without lines. */
export const emptyChain = '0'.repeat(64);

/**
 * Chains the lines of a file: the hash of each is taken over the one before and the line's bytes, newline included. It depends
 * on the bytes alone, not on who wrote them or in which pieces.
 */
export class LineChain {
  #bytes: number;
  #lines = 0;
  #hash = emptyChain;
  /** The beginning of a line that has no newline yet. */
  #rest: Uint8Array[] = [];
  #restBytes = 0;

  /** `start`: a point to continue from, or the offset in the file at which the chain begins. */
  constructor(start: ChainPoint | number = 0) {
    if (typeof start === 'number') this.#bytes = start;
    else [this.#bytes, this.#lines, this.#hash] = [start.bytes, start.lines, start.hash];
  }

  /** How far the file has been read. */
  get end(): number {
    return this.#bytes + this.#restBytes;
  }

  get point(): ChainPoint {
    return { bytes: this.#bytes, lines: this.#lines, hash: this.#hash };
  }

  copy(): LineChain {
    const copy = new LineChain(this.point);
    copy.#rest = [...this.#rest];
    copy.#restBytes = this.#restBytes;
    return copy;
  }

  /** `onLine` is called at the end of each line. */
  push(bytes: Uint8Array, onLine?: (point: ChainPoint) => void): void {
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      this.#close(bytes.subarray(start, end + 1));
      onLine?.(this.point);
      start = end + 1;
    }
    if (start === bytes.length) return;
    this.#rest.push(bytes.slice(start));
    this.#restBytes += bytes.length - start;
  }

  #close(last: Uint8Array): void {
    const hash = openHash();
    hash.update(this.#hash);
    for (const piece of this.#rest) hash.update(piece);
    hash.update(last);
    this.#hash = hash.digest();
    this.#bytes += this.#restBytes + last.length;
    this.#lines++;
    this.#rest = [];
    this.#restBytes = 0;
  }
}

const newline = 0x0a;
