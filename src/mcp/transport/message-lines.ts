import { ByteBuffer } from '../../lib/text/byte-buffer.ts';
import { DroppedMessage } from './dropped-message.ts';

/**
 * The largest size of one message. Larger ones are dropped while they come in, so that a server cannot fill our memory.
 */
export const maxMessageSize = 8 * 1024 * 1024;

export interface LineHandlers {
  line(text: string): void;
  /** An empty line, which still costs time. */
  blank?(): void;
  /** A message that was too large was dropped. `id` is the call that it seems to answer. */
  dropped(bytes: number, id: number | undefined): void;
}

/**
 * Cuts a stream into lines, keeping at most one message's worth of bytes. The two ends of a longer line are checked, so
 * that the call that waits for it gets an error.
 */
export class MessageLines {
  readonly #line = new ByteBuffer();
  #dropped: DroppedMessage | undefined;

  constructor(
    private readonly handlers: LineHandlers,
    private readonly largest = maxMessageSize,
  ) {}

  /** Bytes of the line that is coming in. */
  get pending(): number {
    return this.#dropped?.size ?? this.#line.length;
  }

  add(chunk: Uint8Array): void {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      this.#take(chunk.subarray(start, at));
      this.#finish();
      start = at + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(piece: Uint8Array): void {
    if (this.#dropped) this.#dropped.add(piece);
    else if (this.#line.length + piece.length <= this.largest) this.#line.add(piece);
    else {
      this.#dropped = new DroppedMessage(this.#line.bytes(), piece);
      this.#line.clear();
    }
  }

  #finish(): void {
    const { handlers } = this;
    const dropped = this.#dropped;
    if (dropped) {
      this.#dropped = undefined;
      dropped.end();
      handlers.dropped(dropped.size, dropped.id());
      return;
    }
    const text = Buffer.from(this.#line.bytes()).toString('utf8').trim();
    this.#line.clear();
    if (text !== '') handlers.line(text);
    else handlers.blank?.();
  }
}
