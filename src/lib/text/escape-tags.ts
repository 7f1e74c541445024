import { lookAlikes } from '../secrets/look-alikes.data.ts';

/**
 * The texts with the opening bracket of every tag of these names written as `&lt;`, so that none of them opens or closes one.
 * Read as leniently as the most lenient reader: in any case and spacing, with invisible characters, with look-alike letters,
 * with letters written as numbers (`&#45;`) or as tag characters. All other characters stay as they are, and so do most
 * texts. The texts follow one another: a tag may begin in one and end in the next.
 */
export function escapeTags(texts: readonly string[], names: readonly string[]): string[] {
  const found = texts.some(mayHoldBracket) ? findTags(texts.join(''), names) : [];
  if (found.length === 0) return [...texts];
  const ends = texts.map((text) => text.length);
  let start = 0;
  let next = 0;
  return ends.map((length, index) => {
    const text = texts[index] ?? '';
    const parts: string[] = [];
    let from = 0;
    for (let one = found[next]; one && one.at < start + length; one = found[++next]) {
      parts.push(text.slice(from, one.at - start), '&lt;');
      from = one.at - start + one.length;
    }
    start += length;
    return parts.length === 0 ? text : parts.join('') + text.slice(from);
  });
}

interface Found {
  at: number;
  length: number;
}

/** In linear time: what is read after one bracket ends at the next. */
function findTags(text: string, names: readonly string[]): Found[] {
  const words = names.map((name) => name.split('-'));
  // Tag characters are invisible to some readers, and letters to others.
  const readings = /[\u{e0020}-\u{e007e}]/u.test(text) ? [false, true] : [false];
  return [...text.matchAll(openBrackets().all)].flatMap(({ 0: bracket, index }) => {
    const from = index + bracket.length;
    const opens = readings.some((readsTags) => isTag(readSigns(text, from, readsTags), words));
    return opens ? [{ at: index, length: bracket.length }] : [];
  });
}

/** A character as it is read: in lower case, a look-alike as the letter it resembles. */
type Sign = string;

const blank: Sign = ' ';
const unseen: Sign = '\u200b';
const end: Sign = '';
/** Long enough for every name with everything allowed around and between its letters. */
const maxSigns = 128;

/** The text after a bracket, up to the next one. In a run of non-letters each character is included once. */
function readSigns(text: string, from: number, readsTags: boolean): Sign[] {
  const signs: Sign[] = [];
  for (let at = from; at < text.length && signs.length < maxSigns; ) {
    const { code, length } = readCharacter(text, at);
    at += length;
    for (const sign of fold(code, readsTags)) {
      if (sign === '<') return signs;
      if (!isRepeated(sign, signs)) signs.push(sign);
      if (sign === '>') return signs;
    }
    if (at >= text.length) signs.push(end);
  }
  return signs;
}

function isRepeated(sign: Sign, signs: readonly Sign[]): boolean {
  if (!between.has(sign)) return false;
  for (let at = signs.length - 1; between.has(signs[at] ?? end); at--) if (signs[at] === sign) return true;
  return false;
}

/** A character, one that is written as its number or by its name, or a whole escape sequence, which is invisible. */
function readCharacter(text: string, at: number): { code: number; length: number } {
  const code = text.codePointAt(at) ?? 0;
  const plain = { code, length: code > 0xffff ? 2 : 1 };
  if (code !== ampersand && code !== escapeCode) return plain;
  const [whole, decimal, hexadecimal, name] = written.exec(text.slice(at, at + maxWrittenLength)) ?? [];
  if (whole === undefined) return plain;
  const number =
    decimal !== undefined
      ? Number(decimal)
      : hexadecimal !== undefined
        ? Number.parseInt(hexadecimal, 16)
        : name !== undefined
          ? hyphen
          : unseenCode;
  return { code: number <= 0x10ffff ? number : unseenCode, length: whole.length };
}

const [ampersand, escapeCode, hyphen, unseenCode] = [0x26, 0x1b, 0x2d, 0x200b];
const maxWrittenLength = 24;
const written =
  /^(?:&#(\d{1,8});?|&#[xX]([\da-fA-F]{1,6});?|&(hyphen|dash|lowbar|shy);|&(?:zwj|zwnj|lrm|rlm|ZeroWidthSpace|NoBreak);|\x1b\[[\d;:?]*[ -/]*[@-~])/;

/** The character that a reader sees. */
function fold(code: number, readsTags: boolean): Sign[] {
  if (code < 0x80) return [foldPlain(code)];
  if (code > 0xe0020 && code < 0xe007f) return readsTags ? [foldPlain(code - 0xe0000)] : [unseen];
  const character = String.fromCodePoint(code);
  const known = openLikeness().get(character);
  if (known !== undefined) return [known];
  if (/[\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u.test(character)) return [unseen];
  if (/\s/.test(character)) return [blank];
  return [...character.normalize('NFKD').toLowerCase()].map((one) => {
    const plain = one.codePointAt(0) ?? 0;
    if (plain < 0x80) return foldPlain(plain);
    return openLikeness().get(one) ?? (/\p{M}/u.test(one) ? unseen : one);
  });
}

function foldPlain(code: number): Sign {
  if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return blank;
  if (code < 0x20 || code === 0x7f) return unseen;
  const character = String.fromCharCode(code).toLowerCase();
  return character === '_' ? '-' : character === '\\' ? '/' : character;
}

let likeness: ReadonlyMap<string, Sign> | undefined;

/** Made when the first such character is met: most sessions never need it, and every start would pay for it. */
function openLikeness(): ReadonlyMap<string, Sign> {
  likeness ??= new Map(
    Object.entries(lookAlikes).flatMap(([sign, others]) =>
      [...others].map((other): [string, Sign] => [other, sign]),
    ),
  );
  return likeness;
}

/** They also stand for themselves, and are read as another one only where that fits. */
const alsoReadAs: Readonly<Record<string, string>> = {
  ...{ '0': 'o', '1': 'il', '!': 'il', '|': 'il', '3': 'e', '4': 'a', '@': 'a', '5': 's', $: 's', '7': 't' },
  ...{ l: 'i', i: 'l' },
};

function isTag(signs: readonly Sign[], names: readonly (readonly string[])[]): boolean {
  const from = signs.findIndex((sign) => !around.has(sign));
  return from !== -1 && names.some((words) => isNamed(signs, from, words));
}

const around: ReadonlySet<Sign> = new Set([blank, unseen, '/']);
const between: ReadonlySet<Sign> = new Set([...around, '-']);

/** The words of a name and their separators, and then no further letter. The text may also end within the name. */
function isNamed(signs: readonly Sign[], from: number, words: readonly string[]): boolean {
  let at = from;
  for (const [index, word] of words.entries()) {
    if (index > 0) {
      const join = at;
      while (between.has(signs[at] ?? end)) at++;
      const isJoined = signs.slice(join, at).some((sign) => sign === '-' || sign === unseen);
      if (!isJoined && signs[at] !== end) return false;
    }
    for (const letter of word) {
      while (signs[at] === unseen) at++;
      // The rest may come with the text appended to this one.
      if (signs[at] === end && at - from >= minBegun) return true;
      if (signs[at] !== letter && !alsoReadAs[signs[at] ?? end]?.includes(letter)) return false;
      at++;
    }
  }
  while (signs[at] === unseen) at++;
  return !/^[\p{L}\p{N}]$/u.test(signs[at] ?? end);
}

/** Number of letters of a name from which the end of the input counts as the rest of it. */
const minBegun = 4;

/** Plain text without the plain bracket has none of the others either. */
function mayHoldBracket(text: string): boolean {
  return text.includes('<') || (/[^\0-\x7f]/.test(text) && openBrackets().one.test(text));
}

let brackets: { one: RegExp; all: RegExp } | undefined;

function openBrackets(): { one: RegExp; all: RegExp } {
  const set = `[<\u{e003c}≮＜﹤${lookAlikes['<']}]`;
  brackets ??= { one: new RegExp(set, 'u'), all: new RegExp(set, 'gu') };
  return brackets;
}
