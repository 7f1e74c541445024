/** No provider sends larger events; buffering them would be a way to fill our memory. */
const maxEventSize = 32 * 1024 * 1024;

/**
 * Server-sent events, as far as model providers use them: the data of each event, whole, however the bytes are split.
 * Names, ids, comments and retry times are ignored.
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  /** The unfinished line, in pieces: joined once, so that a long one costs no more than its length. */
  #pieces: string[] = [];
  #piecesLength = 0;
  #data: string[] = [];
  #dataLength = 0;
  /** The last piece ended with a carriage return, which may be the first half of a line end. */
  #endedByReturn = false;

  /** The data of the events that these bytes complete. Undefined when an event is too large. */
  push(bytes: Uint8Array): string[] | undefined {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    const events: string[] = [];
    let start = this.#endedByReturn && text.startsWith('\n') ? 1 : 0;
    let carriage = text.indexOf('\r', start);
    for (let feed = text.indexOf('\n', start); feed >= 0 || carriage >= 0; ) {
      const end = carriage >= 0 && (feed < 0 || carriage < feed) ? carriage : feed;
      this.#line(this.#wholeLine(text.slice(start, end)), events);
      start = end === carriage && end + 1 === feed ? end + 2 : end + 1;
      if (feed >= 0 && feed < start) feed = text.indexOf('\n', start);
      if (carriage >= 0 && carriage < start) carriage = text.indexOf('\r', start);
    }
    this.#endedByReturn = text.endsWith('\r');
    if (start < text.length) this.#pieces.push(text.slice(start));
    this.#piecesLength += text.length - start;
    return this.#piecesLength + this.#dataLength > maxEventSize ? undefined : events;
  }

  #wholeLine(rest: string): string {
    if (this.#pieces.length === 0) return rest;
    const line = this.#pieces.join('') + rest;
    this.#pieces = [];
    this.#piecesLength = 0;
    return line;
  }

  #line(line: string, events: string[]): void {
    if (line.startsWith('data:')) {
      const data = line.charCodeAt(5) === 32 ? line.slice(6) : line.slice(5);
      this.#data.push(data);
      this.#dataLength += data.length;
    }
    if (line !== '' || this.#data.length === 0) return;
    events.push(this.#data.join('\n'));
    this.#data = [];
    this.#dataLength = 0;
  }
}
