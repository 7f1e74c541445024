import type { AgentEvent } from '../protocol/index.ts';
import { encodeEvent } from './frames.ts';

/** Events kept for clients that are behind or disconnected. */
const maxBytes = 8 * 1024 * 1024;

export interface LoggedEvent {
  type: AgentEvent['type'];
  line: Uint8Array;
}

/**
 * The last events of a session as lines, each with a cursor. All clients read from it at their own pace, so none needs
 * its own queue. Not the transcript: it is in memory, and old events are dropped.
 */
export class EventLog {
  readonly #lines: LoggedEvent[] = [];
  /** The number of the first line that is kept. */
  #first = 1;
  #bytes = 0;

  /** `name` tells this log apart from that of every other process and session. */
  constructor(
    private readonly name: string,
    private readonly limit = maxBytes,
  ) {}

  /** The number of the next event. */
  get next(): number {
    return this.#first + this.#lines.length;
  }

  add(event: AgentEvent): void {
    const line = encodeEvent(event, this.#write(this.next));
    this.#lines.push({ type: event.type, line });
    this.#bytes += line.length;
    while (this.#bytes > this.limit && this.#lines.length > 1) {
      this.#bytes -= this.#lines.shift()?.line.length ?? 0;
      this.#first++;
    }
  }

  /** Undefined if it is no longer kept. */
  read(number: number): LoggedEvent | undefined {
    return this.#lines[number - this.#first];
  }

  /** Of the newest event. */
  get cursor(): string {
    return this.#write(this.next - 1);
  }

  /** The number of the event after a cursor; undefined if it belongs to another log, or is no longer kept. */
  find(cursor: string): number | undefined {
    const [name, digits = ''] = cursor.split(':');
    if (name !== this.name || !/^\d{1,15}$/.test(digits)) return undefined;
    const number = Number(digits) + 1;
    return number >= this.#first && number <= this.next ? number : undefined;
  }

  #write(number: number): string {
    return `${this.name}:${number}`;
  }
}

/** No client waits for these, so they are not logged. */
export function isPiece({ type }: AgentEvent): boolean {
  return type === 'model_streamed' || type === 'tool_progressed';
}
