/** How long the body of a request is, as its head says. */
export type DeclaredBody = { kind: 'length'; bytes: number } | { kind: 'chunked' };

export interface BodyPart {
  /** The number of bytes of the piece that belong to the body. */
  bytes: number;
  isEnd: boolean;
}

/** Finds the end of a request's body in the pieces of a connection. */
export interface BodyMeter {
  /** Undefined where a server could find another end than this. */
  take(piece: Buffer): BodyPart | undefined;
}

export function measureBody(body: DeclaredBody): BodyMeter {
  return body.kind === 'chunked' ? new ChunkedMeter() : new LengthMeter(body.bytes);
}

class LengthMeter implements BodyMeter {
  constructor(private left: number) {}

  take(piece: Buffer): BodyPart {
    const bytes = Math.min(this.left, piece.length);
    this.left -= bytes;
    return { bytes, isEnd: this.left === 0 };
  }
}

/** For a size with its extensions, or a line of the trailer. */
const maxLine = 8192;
const maxTrailerLines = 100;

/** Chunks as in RFC 9112, 7.1, and only as there: every line ends with CR and LF. */
class ChunkedMeter implements BodyMeter {
  #state: 'size' | 'data' | 'dataEnd' | 'trailer' = 'size';
  #line = '';
  #left = 0;
  #trailerLines = 0;

  take(piece: Buffer): BodyPart | undefined {
    for (let at = 0; at < piece.length; ) {
      if (this.#state === 'data') {
        const bytes = Math.min(this.#left, piece.length - at);
        this.#left -= bytes;
        at += bytes;
        if (this.#left === 0) this.#state = 'dataEnd';
        continue;
      }
      this.#line += String.fromCharCode(piece[at] ?? 0);
      at++;
      if (this.#line.length > maxLine) return undefined;
      if (!this.#line.endsWith('\n')) continue;
      const step = this.#readLine();
      if (step === undefined) return undefined;
      if (step === 'end') return { bytes: at, isEnd: true };
    }
    return { bytes: piece.length, isEnd: false };
  }

  #readLine(): 'more' | 'end' | undefined {
    const line = this.#line.slice(0, -2);
    const isPlain = this.#line.endsWith('\r\n') && !/[\r\n\0]/.test(line);
    this.#line = '';
    if (!isPlain) return undefined;
    if (this.#state === 'dataEnd') {
      this.#state = 'size';
      return line === '' ? 'more' : undefined;
    }
    if (this.#state === 'trailer') {
      if (line === '') return 'end';
      return ++this.#trailerLines > maxTrailerLines ? undefined : 'more';
    }
    const [, size] = /^([0-9a-f]{1,12})(?:[ \t]*;.*)?$/i.exec(line) ?? [];
    if (size === undefined) return undefined;
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailer' : 'data';
    return 'more';
  }
}
