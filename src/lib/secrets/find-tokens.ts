import { isPlain } from '../fields/plain-values.ts';
import { Ends, findAlphabetEnd, findAlphabetStart, isInAlphabet, isVaried } from './token-alphabets.ts';
import { type TokenFormat, tokenFormats } from './token-formats.data.ts';
import {
  addressTokens,
  contextTokens,
  type FoundToken,
  findShape,
  isBoundary,
  keyTokens,
} from './token-shapes.ts';

/** Every token has at least this many letters, digits, `_` and `-` in a row. */
const minRunLength = 16;
/** In a run with this many possible starts none of them is a token. */
const maxLooks = 1_000;
/** The longest prefix, which may come before that. */
const maxPrefixLength = 20;

/**
 * Tokens of known formats in a string, in order and without overlap. Time grows linearly with the text: only runs of letters
 * are examined, found by checking every sixteenth character, and no expression backtracks.
 */
export function findTokens(text: string, from = 0): FoundToken[] {
  const found = [
    ...runTokens(text, from),
    ...contextTokens(text, from),
    ...addressTokens(text, from, isPlain),
    ...keyTokens(text, from),
  ].sort((a, b) => a.start - b.start || b.end - a.end);
  let done = from;
  return found.filter(({ start, end }) => {
    if (start < done) return false;
    done = end;
    return true;
  });
}

/** The name of the format of a whole value. */
export function findTokenName(value: string): string | undefined {
  const [first] = findTokens(value);
  return first && first.start <= 6 && first.end >= value.length - 1 ? first.name : undefined;
}

function runTokens(text: string, from: number): FoundToken[] {
  const found: FoundToken[] = [];
  const ends = new Ends(text);
  for (let at = from; at + minRunLength <= text.length; ) {
    const probe = at + minRunLength - 1;
    if (!isInAlphabet(text.charCodeAt(probe), 'name')) {
      at = probe + 1;
      continue;
    }
    const start = findAlphabetStart(text, probe, 'name', at);
    const end = findAlphabetEnd(text, probe, 'name');
    if (end - start >= minRunLength) lookAtRun(text, start, end, ends, found);
    // Anything inside a token is part of it.
    at = Math.max(end + 1, found.at(-1)?.end ?? 0);
  }
  return found;
}

function lookAtRun(text: string, start: number, end: number, ends: Ends, found: FoundToken[]): void {
  // Two digits of a percent-encoded character are not part of what follows.
  const own = text[start - 1] === '%' ? start + 2 : start;
  const shape = isBoundary(text, own) ? findShape(text, own, end) : undefined;
  if (shape) {
    found.push(shape);
    return;
  }
  const low = findAlphabetStart(text, start, 'base64', Math.max(0, start - maxPrefixLength));
  let left = maxLooks;
  for (let at = low; at < end && left > 0; at++) {
    if (!mayBegin(text, at) || !isBoundary(text, at)) continue;
    left--;
    const token = matchFormat(text, at, ends);
    if (!token) continue;
    found.push(token);
    at = token.end;
  }
}

function matchFormat(text: string, at: number, ends: Ends): FoundToken | undefined {
  for (const { prefix, format } of openIndex().formats.get(computeKey(text, at)) ?? []) {
    if (!text.startsWith(prefix, at)) continue;
    const start = at + prefix.length;
    const end = ends.of(start, format.of);
    if (fits(text, start, end, format)) return { start: at, end, name: format.name };
  }
  return undefined;
}

function fits(text: string, start: number, end: number, { least, most, mixed }: TokenFormat): boolean {
  const length = end - start;
  if (length < least || (most !== undefined && length > most)) return false;
  if (most !== undefined && isInAlphabet(text.charCodeAt(end), 'word')) return false;
  return isVaried(text.slice(start, end), mixed === true);
}

interface Beginning {
  readonly prefix: string;
  readonly format: TokenFormat;
}

/** The formats by their first two characters. */
interface FormatIndex {
  readonly formats: ReadonlyMap<number, readonly Beginning[]>;
  readonly begins: Uint8Array;
}

let index: FormatIndex | undefined;

/** Made at the first look for tokens, not at every start. */
function openIndex(): FormatIndex {
  index ??= indexFormats();
  return index;
}

function indexFormats(): FormatIndex {
  const formats = new Map<number, Beginning[]>();
  const begins = new Uint8Array(128 * 128);
  // Longest first: `sk-ant-` is not just any `sk-`.
  for (const one of tokenFormats
    .flatMap((format) => format.prefixes.map((prefix) => ({ prefix, format })))
    .sort((a, b) => b.prefix.length - a.prefix.length)) {
    const key = computeKey(one.prefix, 0);
    begins[key] = 1;
    formats.set(key, [...(formats.get(key) ?? []), one]);
  }
  return { formats, begins };
}

function computeKey(text: string, at: number): number {
  return ((text.charCodeAt(at) & 0x7f) << 7) | (text.charCodeAt(at + 1) & 0x7f);
}

function mayBegin(text: string, at: number): boolean {
  return openIndex().begins[computeKey(text, at)] === 1;
}
