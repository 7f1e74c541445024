import type { Clock } from '../lib/clock.ts';

const begin = '\u001b[200~';
const end = '\u001b[201~';
/** A paste is over when nothing has come for so long after its end. */
const quietMs = 30;

/**
 * Keeps a paste together. What is pasted may hold the mark that ends a paste, so that what follows would be taken for
 * keys: a return in it would send it. So whatever comes along with the end of a paste, or right behind it, is pasted too.
 */
export class PasteGuard {
  /** The end has been seen, and nothing after it yet. */
  #cancel: (() => void) | undefined;
  #isOpen = false;
  /** The beginning of a mark that goes on in the next piece. */
  #carry = '';

  constructor(
    private readonly clock: Clock,
    private readonly emit: (chunk: Uint8Array) => void,
  ) {}

  take(chunk: Uint8Array): void {
    if (!this.#isOpen && !chunk.includes(0x1b)) return void this.emit(chunk);
    // One character for each byte: nothing is lost, whatever the encoding.
    const text = this.#carry + Buffer.from(chunk).toString('latin1');
    this.#carry = '';
    const at = this.#isOpen ? 0 : text.indexOf(begin);
    if (at === -1) return void this.#send(text);
    const head = this.#isOpen ? '' : text.slice(0, at) + begin;
    this.#isOpen = true;
    this.#paste(head, head === '' ? text : text.slice(at + begin.length));
  }

  #paste(head: string, rest: string): void {
    const isEnding = this.#cancel !== undefined || rest.includes(end);
    this.#cancel?.();
    this.#cancel = undefined;
    const whole = withoutMarks(rest);
    const split = marksBegun(whole);
    this.#carry = whole.slice(whole.length - split);
    this.#send(head + whole.slice(0, whole.length - split));
    if (isEnding) this.#cancel = this.clock.after(quietMs, () => this.#close());
  }

  #close(): void {
    this.#cancel = undefined;
    this.#isOpen = false;
    const rest = this.#carry;
    this.#carry = '';
    this.#send(rest + end);
  }

  #send(text: string): void {
    if (text !== '') this.emit(Buffer.from(text, 'latin1'));
  }
}

/** What is left when a mark is taken out may make another one. */
function withoutMarks(text: string): string {
  let left = text;
  while (left.includes(end) || left.includes(begin)) left = left.replaceAll(end, '').replaceAll(begin, '');
  return left;
}

/** How much of the end of a text may be the beginning of a mark. */
function marksBegun(text: string): number {
  for (let length = Math.min(end.length - 1, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (end.startsWith(tail) || begin.startsWith(tail)) return length;
  }
  return 0;
}
