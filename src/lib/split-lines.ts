import { ByteBuffer } from './text/byte-buffer.ts';

const newline = 10;

/** Lines of bytes that arrive in pieces. A line that is longer than allowed ends it: nothing after it is read. */
export class LineSplitter {
  /** The beginning of an incomplete line. */
  readonly #rest = new ByteBuffer();
  readonly #lines: Uint8Array[] = [];
  #isTooLong = false;

  constructor(public maxBytes: number) {}

  add(bytes: Uint8Array): void {
    if (this.#isTooLong) return;
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      this.#rest.add(bytes.subarray(start, end));
      this.#lines.push(this.#rest.bytes().slice());
      this.#rest.clear();
      start = end + 1;
    }
    this.#rest.add(bytes.subarray(start));
    if (this.#rest.length > this.maxBytes) {
      this.#isTooLong = true;
      this.#rest.clear();
    }
  }

  /** The next complete line, `too long`, or undefined when its end has not arrived yet. */
  take(): Uint8Array | 'too long' | undefined {
    const line = this.#lines.shift();
    if (line) return line.length > this.maxBytes ? this.#refuse() : line;
    return this.#isTooLong ? 'too long' : undefined;
  }

  #refuse(): 'too long' {
    this.#isTooLong = true;
    this.#lines.length = 0;
    return 'too long';
  }
}
