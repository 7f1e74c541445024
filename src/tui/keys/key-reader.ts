import { StringDecoder } from 'node:string_decoder';
import type { Clock } from '../../lib/clock.ts';
import { decodeSequence, decodeText } from './decode-keys.ts';
import { type Input, plainKey } from './key.ts';
import { PasteGuard, pasteBegin } from './paste-guard.ts';
import { continuesEscape, isKeyByItself, isLateRest, isReport, measureSequence } from './sequences.ts';

const escapeByte = '\u001b';
/** How long a lone escape may still become an arrow key: over a slow line the bytes of one key arrive separately. */
const escapeMs = 80;
/** Input that can only be a sequence, or that no key uses, may take longer. */
const sequenceMs = 500;
/** No terminal sends more at once. */
const maxLength = 64 * 1024;

/**
 * Reads keys and pastes from a terminal's bytes, however they are cut into chunks. Reports from the terminal that are not
 * keys (mouse, device, colours) are not given as input but reported. The inputs of one chunk are given together.
 */
export class KeyReader {
  readonly #guard: PasteGuard;
  readonly #decoder = new StringDecoder('utf8');
  #waiting = '';
  #cancel: (() => void) | undefined;
  /** Until then, input that could continue an escape already given belongs to it. */
  #lateUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly give: (inputs: readonly Input[]) => void,
    private readonly report: (sequence: string) => void = () => {},
  ) {
    this.#guard = new PasteGuard(clock, give);
  }

  take(chunk: Uint8Array): void {
    const isLate = this.clock.monotonic() < this.#lateUntil;
    this.#lateUntil = Number.NEGATIVE_INFINITY;
    this.#cancel?.();
    this.#cancel = undefined;
    // One character for each byte: nothing is lost, whatever the encoding.
    const text = Buffer.from(chunk).toString('latin1');
    // In a paste everything is text.
    if (this.#guard.isOpen) return void this.#guard.take(text);
    if (this.#waiting === escapeByte && !continuesEscape(text))
      return void this.#read(text, [plainKey('escape')]);
    this.#read(isLate && isLateRest(text) ? escapeByte + text : this.#waiting + text);
  }

  #read(text: string, before: readonly Input[] = []): void {
    this.#waiting = '';
    const inputs = [...before];
    let at = 0;
    while (at < text.length) {
      const next = text.indexOf(escapeByte, at);
      for (const key of this.#decode(text.slice(at, next === -1 ? text.length : next), next !== -1))
        inputs.push(key);
      if (next === -1) break;
      const rest = text.slice(next);
      const length = rest.startsWith(pasteBegin) ? 'paste' : measureSequence(rest);
      if (typeof length === 'string') {
        this.#give(inputs);
        return void (length === 'paste' ? this.#guard.take(rest.slice(pasteBegin.length)) : this.#wait(rest));
      }
      const sequence = rest.slice(0, length);
      const isSaid = length > 1 && isReport(sequence);
      if (isSaid) this.report(sequence);
      const key = length === 1 ? plainKey('escape') : isSaid ? undefined : decodeSequence(sequence);
      if (key) inputs.push(key);
      at = next + length;
    }
    this.#give(inputs);
  }

  /** Typed text. A character whose bytes are incomplete waits for the rest, unless something else follows. */
  #decode(text: string, isFollowed: boolean): Input[] {
    const whole = this.#decoder.write(Buffer.from(text, 'latin1'));
    return decodeText(isFollowed ? whole + this.#decoder.end() : whole);
  }

  #wait(rest: string): void {
    this.#waiting = rest.slice(0, maxLength);
    const isKey = isKeyByItself(rest);
    this.#cancel = this.clock.after(isKey ? escapeMs : sequenceMs, () => {
      this.#waiting = '';
      // The beginning of a sequence that does not continue is dropped.
      if (!isKey) return;
      if (rest === escapeByte) this.#lateUntil = this.clock.monotonic() + sequenceMs;
      const letter = decodeSequence(rest);
      this.#give(isEscapes.test(rest) ? Array.from(rest, () => plainKey('escape')) : letter ? [letter] : []);
    });
  }

  #give(inputs: readonly Input[]): void {
    if (inputs.length > 0) this.give(inputs);
  }
}

const isEscapes = /^\u001b+$/;
