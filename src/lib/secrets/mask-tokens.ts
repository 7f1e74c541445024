import { findTokens } from './find-tokens.ts';
import { findAlphabetStart } from './token-alphabets.ts';
import { tokenFormats } from './token-formats.data.ts';
import { type FoundToken, findOpenKey, maxContextLength, shapeNames } from './token-shapes.ts';

/** The text with every token of a known format masked; the same string where there is none. */
export function maskTokens(text: string): string {
  const found = findTokens(text);
  return found.length === 0 ? text : replace(text, 0, text.length, found);
}

const marks: ReadonlySet<string> = new Set(
  [...tokenFormats.map(({ name }) => name), ...shapeNames].map(formatMark),
);

/** The first mark of a token in a string. */
export function findTokenMark(text: string): string | undefined {
  return text.match(/\[masked: [^\]\n]{1,80}\]/g)?.find((mark) => marks.has(mark));
}

function formatMark(name: string): string {
  return `[masked: ${name}]`;
}

/** Longer words are not tokens: they are passed on while they are still arriving. */
const maxWordLength = 8 * 1024;
/** Shorter ones at the end of a piece can be passed on: the token they begin is still found by the part that is kept. */
const minWordLength = 3;

/**
 * The same for text that arrives in pieces. A word at the end of a piece is held back, since it may continue; words before it
 * that say what it is are remembered.
 */
export class TokenStream {
  #given = '';
  #held = '';

  get isHolding(): boolean {
    return this.#held !== '';
  }

  add(text: string): string {
    return this.#take(this.#held + text, false);
  }

  end(): string {
    return this.#take(this.#held, true);
  }

  #take(text: string, isLast: boolean): string {
    const all = this.#given + text;
    const from = this.#given.length;
    const until = isLast ? all.length : Math.max(from, findSettledEnd(all));
    const found = findTokens(all).filter(({ end }) => end > from);
    const shown = replace(all, from, until, found);
    this.#held = all.slice(until);
    this.#given = all.slice(Math.max(0, until - maxContextLength), until);
    return shown;
  }
}

/** Up to where more text changes nothing. */
function findSettledEnd(text: string): number {
  const word = findAlphabetStart(text, text.length, 'address', Math.max(0, text.length - maxWordLength));
  const isLong = text.length - word >= maxWordLength;
  const isShort = text.length - word < minWordLength;
  const settled = isShort ? text.length : isLong ? text.length - maxContextLength : word;
  return Math.min(settled, findOpenKey(text) ?? settled);
}

function replace(text: string, from: number, until: number, found: readonly FoundToken[]): string {
  let shown = '';
  let done = from;
  for (const { start, end, name } of found) {
    if (start >= until) break;
    shown += text.slice(done, Math.max(done, start)) + formatMark(name);
    done = Math.max(done, Math.min(end, until));
  }
  return shown + text.slice(done, until);
}
