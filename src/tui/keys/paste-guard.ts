import type { Clock } from '../../lib/clock.ts';
import { type Input, plainKey } from './key.ts';

export const pasteBegin = '\u001b[200~';
const pasteEnd = '\u001b[201~';
/** A paste has ended when nothing has come for this long after its end mark. */
const quietMs = 30;
/** After this long, the interrupt key ends a paste whose end mark does not come: otherwise all keys would be dead. */
const stuckMs = 1_000;
const interruptKey = '\u0003';
const focusAtEnd = /(?<=\u001b\[201~\r?)(?:\u001b\[[IO])+$/;

/**
 * Keeps a paste together. Pasted text may contain the mark that ends a paste, and the rest would be taken for keys: a
 * return in it would send it. So everything that comes with the end of a paste, or right after it, is pasted too. Only a
 * return with nothing after it is a key: the text itself is always followed by the mark that really ends the paste.
 */
export class PasteGuard {
  #pieces: string[] | undefined;
  /** The end of the last piece, where a mark may have begun. */
  #tail = '';
  #takenAt = 0;
  /** Set once the end mark has been seen. */
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly give: (inputs: readonly Input[]) => void,
  ) {}

  get isOpen(): boolean {
    return this.#pieces !== undefined;
  }

  /** Takes what follows the mark that begins a paste, and everything while one is open. One character for each byte. */
  take(text: string): void {
    const isStuck = this.isOpen && this.clock.monotonic() - this.#takenAt >= stuckMs;
    this.#takenAt = this.clock.monotonic();
    if (isStuck && text === interruptKey) return void this.#close({ ...plainKey('c'), ctrl: true });
    this.#pieces ??= [];
    this.#pieces.push(text);
    const isEnding = this.#cancel !== undefined || (this.#tail + text).includes(pasteEnd);
    this.#tail = (this.#tail + text).slice(1 - pasteEnd.length);
    this.#cancel?.();
    this.#cancel = isEnding ? this.clock.after(quietMs, () => this.#close()) : undefined;
  }

  #close(...after: Input[]): void {
    this.#cancel?.();
    this.#cancel = undefined;
    // The window that something was dropped on comes to the front: that is said right behind the paste.
    const text = (this.#pieces ?? []).join('').replace(focusAtEnd, '');
    const isSent = text.endsWith(`${pasteEnd}\r`);
    const pasted = readPaste(isSent ? text.slice(0, -1) : text);
    this.#pieces = undefined;
    this.#tail = '';
    this.give([{ pasted }, ...(isSent ? [plainKey('return')] : []), ...after]);
  }
}

/** Without the marks. Removing one may form another, so each is looked for in the text kept before it. */
function readPaste(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  let length = 0;
  for (const byte of bytes) {
    bytes[length++] = byte;
    if (byte === markEnd && isMark(bytes.toString('latin1', Math.max(0, length - pasteEnd.length), length)))
      length -= pasteEnd.length;
  }
  return bytes.toString('utf8', 0, length);
}

const markEnd = 0x7e;

function isMark(text: string): boolean {
  return text === pasteBegin || text === pasteEnd;
}
