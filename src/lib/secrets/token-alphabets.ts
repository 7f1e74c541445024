import type { Alphabet } from './token-formats.data.ts';

const digits = '0123456789';
const small = 'abcdefghijklmnopqrstuvwxyz';
const large = small.toUpperCase();
const letters = digits + small + large;

const signs: Readonly<Record<Alphabet, string>> = {
  hex: `${digits}abcdefABCDEF`,
  upper: digits + large,
  letters,
  word: `${letters}_`,
  name: `${letters}_-`,
  dotted: `${letters}_-.`,
  base64: `${letters}_-+/=%.`,
  key: `${letters}+/=`,
  /** All characters of a token or an address with a password. */
  address: `${letters}_-+/=%.:@~!*,&?#`,
};

const bits = Object.fromEntries(Object.keys(signs).map((name, index) => [name, 1 << index])) as Readonly<
  Record<Alphabet, number>
>;

/** The alphabets of each character below 256. */
const table = new Uint16Array(256);
for (const [name, text] of Object.entries(signs))
  for (const sign of text)
    table[sign.charCodeAt(0)] = (table[sign.charCodeAt(0)] ?? 0) | bits[name as Alphabet];

export function isInAlphabet(code: number, alphabet: Alphabet): boolean {
  return code < 256 && ((table[code] ?? 0) & bits[alphabet]) !== 0;
}

/** The end of a run of characters of an alphabet, from a position on. */
export function findAlphabetEnd(text: string, at: number, alphabet: Alphabet): number {
  const bit = bits[alphabet];
  let end = at;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code >= 256 || ((table[code] ?? 0) & bit) === 0) break;
    end++;
  }
  return end;
}

/** The start of a run of characters of an alphabet before a position. */
export function findAlphabetStart(text: string, at: number, alphabet: Alphabet, lowest = 0): number {
  let start = at;
  while (start > lowest && isInAlphabet(text.charCodeAt(start - 1), alphabet)) start--;
  return start;
}

/** Whether it could be a live value and not an example: enough different characters, and no word that says so. */
export function isVaried(body: string, mixed: boolean): boolean {
  const sample = body.slice(0, 64);
  if (new Set(sample).size < Math.min(8, sample.length / 2)) return false;
  if (/example|x{5}|\.{3}|your|placeholder|redacted/i.test(sample)) return false;
  return !mixed || (/[a-z]/.test(sample) && /[A-Z]/.test(sample) && (sample.match(/\d/g)?.length ?? 0) >= 2);
}

/** The end of a run of characters of an alphabet, computed once per run: many tokens could begin in one. */
export class Ends {
  readonly #known = new Map<Alphabet, { start: number; end: number }>();

  constructor(private readonly text: string) {}

  of(at: number, alphabet: Alphabet): number {
    const known = this.#known.get(alphabet);
    if (known && known.start <= at && at <= known.end) return known.end;
    const end = findAlphabetEnd(this.text, at, alphabet);
    this.#known.set(alphabet, { start: at, end });
    return end;
  }
}
