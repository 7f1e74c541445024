import type { Clock } from '../../lib/clock.ts';
import { PasteGuard, pasteBegin } from './paste-guard.ts';

const escapeByte = '\u001b';
/** The escape key in a form that no following bytes can change. */
export const escapeKey = '\u001b[27u';
/** How long a lone escape may still become an arrow key: over a slow line the bytes of one key arrive separately. */
const escapeMs = 80;
/** Input that can only be a sequence, or that no key uses, may take longer. */
const sequenceMs = 500;
/** No terminal sends more at once. */
const maxLength = 64 * 1024;

/**
 * Sits between the terminal and the reader of keys. The bytes of one key arrive together, however they came; reports
 * from the terminal that are not keys (mouse, device, colours) do not arrive at all.
 */
export class KeyGate {
  readonly #guard: PasteGuard;
  #waiting = '';
  #cancel: (() => void) | undefined;
  /** Until then, input that could continue an escape already passed on belongs to it. */
  #lateUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly clock: Clock,
    private readonly emit: (chunk: Uint8Array) => void,
  ) {
    this.#guard = new PasteGuard(clock, emit);
  }

  take(chunk: Uint8Array): void {
    const isLate = this.clock.monotonic() < this.#lateUntil;
    this.#lateUntil = Number.NEGATIVE_INFINITY;
    const isOpen = this.#guard.isOpen;
    if (!isOpen && this.#waiting === '' && !isLate && !chunk.includes(0x1b)) return void this.emit(chunk);
    this.#cancel?.();
    this.#cancel = undefined;
    // One character for each byte: nothing is lost, whatever the encoding.
    const text = Buffer.from(chunk).toString('latin1');
    // In a paste everything is text.
    if (isOpen) return void this.#guard.take(text);
    if (this.#waiting === escapeByte && !goesOn.test(text)) return void this.#read(escapeKey + text);
    this.#read(isLate && lateRest.test(text) ? escapeByte + text : this.#waiting + text);
  }

  #read(text: string): void {
    this.#waiting = '';
    let keys = '';
    for (let at = 0; at < text.length; ) {
      const next = text.indexOf(escapeByte, at);
      const rest = text.slice(next === -1 ? text.length : next);
      keys += text.slice(at, text.length - rest.length);
      if (rest === '') break;
      if (rest.startsWith(pasteBegin)) {
        this.#give(keys);
        return void this.#guard.take(rest);
      }
      const length = typedBehind.test(rest) ? 1 : sequenceLength(rest);
      if (length === 'more') {
        this.#give(keys);
        return void this.#wait(rest);
      }
      const sequence = rest.slice(0, length);
      if (!isSaid(sequence)) keys += length === 1 ? escapeKey : sequence;
      at = text.length - rest.length + length;
    }
    this.#give(keys);
  }

  #wait(rest: string): void {
    this.#waiting = rest.slice(0, maxLength);
    const isKey = keyByItself.test(rest);
    this.#cancel = this.clock.after(isKey ? escapeMs : sequenceMs, () => {
      this.#waiting = '';
      // The beginning of a sequence that does not continue is dropped.
      if (!isKey) return;
      if (rest === escapeByte) this.#lateUntil = this.clock.monotonic() + sequenceMs;
      this.#give(isEscape.test(rest) ? rest.replaceAll(escapeByte, escapeKey) : rest);
    });
  }

  #give(text: string): void {
    if (text !== '') this.emit(Buffer.from(text, 'latin1'));
  }
}

const isEscape = /^\u001b+$/;

/** The escape key, and letters with alt that sequences start with as well. */
const keyByItself = /^\u001b(?:\u001b|[\]P_])?$/;

/** An old form of mouse report: three bytes of any kind. */
const mouse = /^\u001b\[M([\s\S]{0,3})/;
/** Parameters, then the letter that gives its kind; also the keys of the Linux console (`[[A`) and of rxvt (`[2$`). */
const control = /^\u001b{1,2}(?:\[(?:\[[A-Z]|\[\d~|[235678]\$(?!y)|[0-?]*[ -/]*[@-Z\\-~])|O[\d;]*[@-~])/;
const controlBegun = /^\u001b{1,2}(?:\[(?:\[\d?|[0-?]*[ -/]*)|O[\d;]*)?$/;
/** Replies of a terminal: a colour, its name, a picture. None of our keys starts like this. */
const spoken = /^\u001b(?:\][\dlLI]|P[\d>!]|_G)/;
/** Its own end, or a key: then it was cut short. */
const spokenEnd = /\u0007|\u001b\\|(?=\u001b[^\\]|[\0-\u0006\b-\u001a\u001c-\u001f])/;

/** How many characters belong together; `more` if the next ones decide. */
function sequenceLength(text: string): number | 'more' {
  const pointed = mouse.exec(text);
  if (pointed) return pointed[0].length === 6 ? 6 : 'more';
  if (spoken.test(text)) {
    const end = spokenEnd.exec(text.slice(2));
    return end ? 2 + end.index + end[0].length : 'more';
  }
  const found = control.exec(text);
  if (found) return found[0].length;
  if (controlBegun.test(text) || keyByItself.test(text)) return 'more';
  // A letter with alt, or not a sequence after all.
  const broken = /^\u001b\[[0-?]*[ -/]*/.exec(text);
  return broken ? broken[0].length : text[1] === escapeByte ? 1 : 2;
}

/**
 * Whether it is a terminal's report or reply: mouse, focus, cursor position, size, kind, modes, colours; or
 * the end of a paste that never began, or the beginning of an unknown sequence.
 */
function isSaid(sequence: string): boolean {
  if (mouse.test(sequence) || spoken.test(sequence)) return true;
  return /^\u001b\[(?:[<=>?]|[IO]$|\d+(?:;\d+)*[Rtn]$|[\d;]+(?:c|\$y)$|201~$|[\d;:]*[ -/]*$(?<!\$))/.test(
    sequence,
  );
}

/** Several letters at once after an escape are typed: only one can go with alt, and only if that has a meaning. */
const typedBehind = /^\u001b[^\0-\u001f\u007f[\]OP_bdfyBDFY<>/][^\0-\u001f\u007f]/;

/** Possible continuations of a lone escape: a sequence, or a letter with alt that has a meaning. */
const goesOn =
  /^(?:\[|\u001b|O[\d;]*[A-DFHMP-Sa-e]?$|\](?:$|[\dlLI])|P(?:$|[\d>!])|_(?:$|G)|[bdfyBDFY<>/\r\u007f\b]$)/;

/** The rest of a key whose escape was taken for the escape key. */
const lateRest = /^(?:\[(?:[A-DFHZ]|\d+(?:;\d+)?[~A-DFHPQS]|[IO]$|<[\d;]+[Mm])|O[A-DFHP-S]$)/;
