/** Longer lines are no event of any provider; holding on to them would be a way to fill our memory. */
const longestLine = 32 * 1024 * 1024;

/**
 * Server-sent events, as far as model providers use them: the data of each event, whole, however the bytes are
 * split. Names, ids, comments and retry times are passed over.
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  #pending = '';
  #data: string[] = [];

  /** The data of the events that these bytes complete. Undefined when a line is longer than can be sound. */
  push(bytes: Uint8Array): string[] | undefined {
    const text = this.#pending + this.#decoder.decode(bytes, { stream: true });
    const events: string[] = [];
    let start = 0;
    for (let end = lineEnd(text, start); end >= 0; end = lineEnd(text, start)) {
      this.#line(text.slice(start, end), events);
      start = text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10 ? end + 2 : end + 1;
    }
    this.#pending = text.slice(start);
    return this.#pending.length > longestLine ? undefined : events;
  }

  #line(line: string, events: string[]): void {
    if (line.startsWith('data:')) this.#data.push(line.charCodeAt(5) === 32 ? line.slice(6) : line.slice(5));
    if (line !== '' || this.#data.length === 0) return;
    events.push(this.#data.join('\n'));
    this.#data = [];
  }
}

/** A carriage return at the very end may be the first half of a line end: it waits. */
function lineEnd(text: string, start: number): number {
  const feed = text.indexOf('\n', start);
  const carriage = text.indexOf('\r', start);
  if (carriage < 0 || (feed >= 0 && feed < carriage)) return feed;
  return carriage === text.length - 1 ? -1 : carriage;
}
