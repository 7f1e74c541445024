/** A string to look for, and its replacement. */
export interface Needle {
  readonly text: string;
  readonly mark: string;
}

/** Shorter ones would be found everywhere. */
export const minNeedleLength = 8;

const block = 3;
const maxShift = minNeedleLength - block + 1;
const slots = 0x10000;

/**
 * Finds many strings in one pass (Wu and Manber's algorithm): the first eight characters of each needle are a window, and
 * where the last three characters of a window occur in no needle, the search skips ahead. No regular expressions: time grows
 * with the text, whatever is in it.
 */
export class Needles {
  readonly longest: number;
  readonly #shifts: Uint8Array;
  readonly #ending = new Map<number, Needle[]>();
  readonly #starting = new Map<number, Needle[]>();

  constructor(needles: readonly Needle[]) {
    this.#shifts = new Uint8Array(slots).fill(maxShift);
    this.longest = Math.max(0, ...needles.map(({ text }) => text.length));
    // Of two with the same beginning the longer one wins.
    for (const needle of [...needles].sort((a, b) => b.text.length - a.text.length)) this.#add(needle);
  }

  #add(needle: Needle): void {
    const { text } = needle;
    for (let end = block - 1; end < minNeedleLength; end++) {
      const slot = computeSlot(text, end);
      this.#shifts[slot] = Math.min(this.#shifts[slot] ?? 0, minNeedleLength - 1 - end);
    }
    push(this.#ending, computeSlot(text, minNeedleLength - 1), needle);
    push(this.#starting, text.charCodeAt(0), needle);
  }

  /** The first needle from `from` on. */
  find(text: string, from: number): { at: number; needle: Needle } | undefined {
    const shifts = this.#shifts;
    for (let end = from + minNeedleLength - 1; end < text.length; ) {
      const slot =
        ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & 0xffff;
      const shift = shifts[slot] ?? 1;
      if (shift > 0) {
        end += shift;
        continue;
      }
      const at = end - minNeedleLength + 1;
      const needle = this.#ending.get(slot)?.find((one) => text.startsWith(one.text, at));
      if (needle) return { at, needle };
      end++;
    }
    return undefined;
  }

  /** The same string where there is nothing to replace. */
  replace(text: string): string {
    let found = this.find(text, 0);
    if (!found) return text;
    let shown = '';
    let done = 0;
    for (; found; found = this.find(text, done)) {
      shown += text.slice(done, found.at) + found.needle.mark;
      done = found.at + found.needle.text.length;
    }
    return shown + text.slice(done);
  }

  /**
   * The position from `from` on where the rest of the text may be the beginning of a needle; the text's length if nowhere.
   */
  beginning(text: string, from: number): number {
    for (let at = Math.max(from, text.length - this.longest + 1); at < text.length; at++) {
      const rest = text.length - at;
      const isBegun = this.#starting
        .get(text.charCodeAt(at))
        ?.some((one) => one.text.length > rest && one.text.startsWith(text.slice(at)));
      if (isBegun) return at;
    }
    return text.length;
  }
}

function computeSlot(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) << 10) ^ (text.charCodeAt(end - 1) << 5) ^ text.charCodeAt(end)) & 0xffff;
}

function push(map: Map<number, Needle[]>, key: number, needle: Needle): void {
  const before = map.get(key);
  if (before) before.push(needle);
  else map.set(key, [needle]);
}
