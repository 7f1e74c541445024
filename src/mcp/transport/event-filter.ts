import { ByteBuffer } from '../../lib/text/byte-buffer.ts';
import { DroppedMessage } from './dropped-message.ts';
import type { MessageRate } from './message-rate.ts';
import { repairEvent } from './repair-answer.ts';

const lf = 10;
const cr = 13;
const colon = 58;

/**
 * Passes an event stream on, event by event, each ended by its blank line. Comments are dropped. An event that is too
 * large is dropped while it comes in, and the call that it seems to answer gets an error instead.
 */
export class EventFilter {
  readonly #event = new ByteBuffer();
  #dropped: DroppedMessage | undefined;
  #isTold = false;
  /** Bytes of the line that is coming in. */
  #lineSize = 0;
  #isComment = false;
  #endedWithReturn = false;
  #passed: Uint8Array[] = [];

  constructor(
    private readonly rate: Pick<MessageRate, 'allows' | 'allowsPending'>,
    private readonly largest: number,
  ) {}

  /** The data to pass on. Undefined if the stream must be ended. */
  add(chunk: Uint8Array): Uint8Array[] | undefined {
    this.#passed = [];
    for (let start = 0; start < chunk.length; ) {
      if (this.#endedWithReturn && chunk[start] === lf) {
        this.#endedWithReturn = false;
        start++;
        continue;
      }
      const end = lineEnd(chunk, start);
      this.#take(chunk.subarray(start, end === -1 ? undefined : end));
      if (end === -1) break;
      this.#endedWithReturn = chunk[end] === cr;
      if (!this.#endLine()) return undefined;
      start = end + 1;
    }
    return this.rate.allowsPending(this.#dropped?.size ?? this.#lineSize) ? this.#passed : undefined;
  }

  #take(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#endedWithReturn = false;
    if (this.#lineSize === 0) this.#isComment = piece[0] === colon;
    this.#lineSize += piece.length;
    if (!this.#isComment) this.#keep(piece);
  }

  #keep(piece: Uint8Array): void {
    if (this.#dropped) this.#dropped.add(piece);
    else if (this.#event.length + piece.length <= this.largest) this.#event.add(piece);
    else {
      this.#dropped = new DroppedMessage(this.#event.bytes(), piece);
      this.#event.clear();
      this.#tell(this.#dropped);
    }
  }

  #endLine(): boolean {
    const size = this.#lineSize;
    this.#lineSize = 0;
    if (size > 0 && this.#isComment) return this.rate.allows(size);
    this.#keep(newline);
    return size > 0 || (this.rate.allows() && this.#endEvent());
  }

  #endEvent(): true {
    const dropped = this.#dropped;
    if (dropped) {
      dropped.end();
      this.#tell(dropped);
    } else this.#passed.push(repairEvent(this.#event.bytes().slice()));
    this.#dropped = undefined;
    this.#isTold = false;
    this.#event.clear();
    return true;
  }

  #tell(dropped: DroppedMessage): void {
    const id = this.#isTold ? undefined : dropped.id();
    if (id === undefined) return;
    this.#isTold = true;
    const error = { code: -32_000, message: `It sent a message of more than ${this.largest} bytes.` };
    this.#passed.push(Buffer.from(`data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`));
  }
}

const newline = Uint8Array.of(lf);

function lineEnd(chunk: Uint8Array, start: number): number {
  const feed = chunk.indexOf(lf, start);
  const back = chunk.subarray(start, feed === -1 ? undefined : feed).indexOf(cr);
  return back === -1 ? feed : start + back;
}
