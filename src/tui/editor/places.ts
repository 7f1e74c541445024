import { graphemes } from '../text/width.ts';

/** The places in text that keys move to. */

export function after(text: string, at: number): number {
  const end = lineEnd(text, at);
  if (at >= end) return Math.min(text.length, at + 1);
  return at + (graphemes(text.slice(at, end))[0]?.length ?? 1);
}

export function before(text: string, at: number): number {
  const start = lineStart(text, at);
  if (at <= start) return Math.max(0, at - 1);
  return at - (graphemes(text.slice(start, at)).at(-1)?.length ?? 1);
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** The end of the word that begins at or after the place. */
export function wordEnd(text: string, at: number): number {
  const found = /^[^\p{L}\p{N}_]*[\p{L}\p{N}\p{M}_]+/u.exec(text.slice(at));
  return found ? at + found[0].length : text.length;
}

/** The start of the word that ends at or before the place. */
export function wordStart(text: string, at: number): number {
  return findStart(text, at, isOfWord);
}

/** The same for words between blanks, as in a shell. */
export function bigWordStart(text: string, at: number): number {
  return findStart(text, at, (character) => !/\s/.test(character));
}

function findStart(text: string, at: number, isInside: (character: string) => boolean): number {
  let place = at;
  while (place > 0 && !isInside(characterBefore(text, place))) place -= characterBefore(text, place).length;
  while (place > 0 && isInside(characterBefore(text, place))) place -= characterBefore(text, place).length;
  return place;
}

function isOfWord(character: string): boolean {
  return /[\p{L}\p{N}\p{M}_]/u.test(character);
}

function characterBefore(text: string, at: number): string {
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff && at > 1 ? text.slice(at - 2, at) : text.slice(at - 1, at);
}
