import type { Clock } from '../../lib/clock.ts';

export const pasteBegin = '\u001b[200~';
const end = '\u001b[201~';
/** A paste has ended when nothing has come for this long after its end mark. */
const quietMs = 30;
/** After this long, the interrupt key ends a paste whose end mark does not come: otherwise all keys would be dead. */
const stuckMs = 1_000;
const interruptKey = 0x03;

/**
 * Keeps a paste together. Pasted text may contain the mark that ends a paste, and the rest would be taken for keys: a
 * return in it would send it. So everything that comes with the end of a paste, or right after it, is pasted too.
 */
export class PasteGuard {
  /** The end mark has been seen, and nothing after it yet. */
  #cancel: (() => void) | undefined;
  #isOpen = false;
  #takenAt = 0;
  /** The beginning of a mark that continues in the next piece. */
  #carry = '';

  constructor(
    private readonly clock: Clock,
    private readonly emit: (chunk: Uint8Array) => void,
  ) {}

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Takes input that starts with the mark of a paste, or comes while one is open. One character for each byte. */
  take(text: string): void {
    const isStuck = this.clock.monotonic() - this.#takenAt >= stuckMs;
    this.#takenAt = this.clock.monotonic();
    if (this.#isOpen && isStuck && text.charCodeAt(0) === interruptKey && text.length === 1) {
      this.#close();
      return void this.#send(text);
    }
    const head = this.#isOpen ? '' : pasteBegin;
    this.#isOpen = true;
    this.#paste(head, this.#carry + text.slice(head.length));
  }

  #paste(head: string, rest: string): void {
    this.#carry = '';
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
    this.#cancel?.();
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

/** Removing a mark may form another one. */
function withoutMarks(text: string): string {
  let left = text;
  while (left.includes(end) || left.includes(pasteBegin))
    left = left.replaceAll(end, '').replaceAll(pasteBegin, '');
  return left;
}

/** How much of the end of the text may be the beginning of a mark. */
function marksBegun(text: string): number {
  for (let length = Math.min(end.length - 1, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (end.startsWith(tail) || pasteBegin.startsWith(tail)) return length;
  }
  return 0;
}
