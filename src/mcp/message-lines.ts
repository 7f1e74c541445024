/** The most that one message may have. Larger ones are dropped while they come in: nobody can fill our memory. */
export const largestMessage = 8 * 1024 * 1024;
const keptEnd = 4 * 1024;

export interface LineHandlers {
  line(text: string): void;
  /** A line with nothing on it, which costs time all the same. */
  blank?(): void;
  /** A message that was too large was dropped. `id` is the call that it seems to answer. */
  dropped(bytes: number, id: number | undefined): void;
}

/**
 * Cuts a stream into lines, keeping at most one message's worth of bytes. Of what is too long the two ends are looked at,
 * so that the call that waits for it can be told.
 */
export class MessageLines {
  #pieces: Uint8Array[] = [];
  #size = 0;
  #end: Uint8Array = new Uint8Array();
  #head: string | undefined;

  constructor(
    private readonly handlers: LineHandlers,
    private readonly largest = largestMessage,
  ) {}

  /** Bytes of the line that is coming in. */
  get pending(): number {
    return this.#size;
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
    this.#size += piece.length;
    if (this.#head === undefined && this.#size <= this.largest) {
      this.#pieces.push(piece);
      return;
    }
    this.#head ??= Buffer.from((this.#pieces[0] ?? piece).subarray(0, keptEnd)).toString('latin1');
    this.#pieces = [];
    const joined = Buffer.concat([this.#end, piece.subarray(-keptEnd)]);
    this.#end = joined.subarray(-keptEnd);
  }

  #finish(): void {
    const { handlers } = this;
    if (this.#head !== undefined) {
      const id = idIn(this.#head, Buffer.from(this.#end).toString('latin1'));
      const size = this.#size;
      this.#forget();
      handlers.dropped(size, id);
      return;
    }
    const text = Buffer.concat(this.#pieces).toString('utf8').trim();
    this.#forget();
    if (text !== '') handlers.line(text);
    else handlers.blank?.();
  }

  #forget(): void {
    this.#pieces = [];
    this.#size = 0;
    this.#head = undefined;
    this.#end = new Uint8Array();
  }
}

/** At the top level of a response `id` stands before the result or after it. A guess that is wrong names no waiting call. */
function idIn(head: string, end: string): number | undefined {
  const found =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(head) ??
    /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(end);
  return found ? Number(found[1]) : undefined;
}
