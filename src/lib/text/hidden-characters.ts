/**
 * Which characters of outside text a reader can see. By an allow list: letters, marks, numbers, punctuation, symbols and the
 * ordinary space, without those of them that draw nothing. Everything else is hidden and gets written out: controls, escapes,
 * direction marks, zero-width characters, tag characters, spaces that look like the ordinary one, private and unassigned code
 * points.
 *
 * `all`: for text the user approves, and for names, commands, paths, outputs. `prose`: for answers of a model and words of
 * the user, where the characters that emoji and some scripts need stay, and so do the spaces of other languages.
 */
export type TextKind = 'all' | 'prose';

/** Matches one hidden character (or a pile of marks) at a time, or, in its first group, a sequence that stays. */
export function hiddenCharacters(reading: TextKind): RegExp {
  patterns[reading] ??= new RegExp(sources[reading](), 'gu');
  const pattern = patterns[reading];
  pattern.lastIndex = 0;
  return pattern;
}

/** Nearly all texts are plain, and searching for everything that may be hidden takes ten times as long. */
export function isPlainText(text: string): boolean {
  return /^[\n\t -~]*$/.test(text);
}

/** Created for the first text that needs them: Unicode classes take a while to compile. */
const patterns: Partial<Record<TextKind, RegExp>> = {};

const seenClasses = '\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\n\\t ';
/** In the classes above, but invisible: fillers, variation selectors, blank characters. */
const blankRanges: readonly (readonly [from: number, to: number])[] = [
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
  [0xfffc, 0xfffc],
  [0x13441, 0x13446],
  [0x16fe4, 0x16fe4],
  [0x1d159, 0x1d159],
  [0xe0100, 0xe01ef],
];
/** Not in the classes above, but visible: characters that span Arabic and Syriac numbers. */
const seenFormat = '\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}';
/** More marks on one letter than any script has would be drawn over the lines around it. */
const heap = '(?<=\\p{M}{8})\\p{M}+';
const blank = `[${blankRanges.map(([from, to]) => `${writeCode(from)}-${writeCode(to)}`).join('')}]`;

const looks = '[\\ufe0e\\ufe0f\\u{1f3fb}-\\u{1f3ff}]';
/** Not `\p{RGI_Emoji}`: compiling it takes a third of a cold start. */
const emoji = [
  `\\p{Extended_Pictographic}${looks}?(?:\\u200d\\p{Extended_Pictographic}${looks}?)*`,
  '[0-9#*]\\ufe0f\\u20e3',
  ...['gbeng', 'gbsct', 'gbwls'].map(
    (region) =>
      `\\u{1f3f4}${[...region].map((letter) => writeCode(0xe0000 + letter.charCodeAt(0))).join('')}\\u{e007f}`,
  ),
];
/** Scripts in which joiners change how a word is written. */
const joined = [
  'Arabic',
  'Syriac',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const joiner = `(?<=[${joined}])[\\u200c\\u200d](?=[${joined}])`;

/**
 * The characters without width that emoji and some scripts are written with, where they belong: U+FE0F behind an emoji, U+200D
 * between two, both joiners between letters of these scripts. They hide nothing.
 */
export function joiningCharacters(): RegExp {
  const dressed = `\\p{Extended_Pictographic}${looks}?`;
  const selector = '(?<=\\p{Extended_Pictographic})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)';
  return new RegExp(`${selector}|(?<=${dressed})\\u200d(?=\\p{Extended_Pictographic})|${joiner}`, 'gu');
}

const sources: Readonly<Record<TextKind, () => string>> = {
  all: () => `(?!)()|${heap}|${blank}|[^${seenClasses}${seenFormat}]`,
  prose: () =>
    `(${[...emoji.toReversed(), joiner].join('|')})|${heap}|${blank}|[^${seenClasses}${seenFormat}\\p{Zs}\\p{Co}]`,
};

function writeCode(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
