/** What a painted line shows, without its colours and links. */
export function plainOf(line: string): string {
  return line.replace(/\x1b\[[\d;]*m|\x1b\]8;;[^\x1b]*\x1b\\/g, '');
}

export function plainLines(lines: readonly string[]): string[] {
  return lines.map(plainOf);
}

/** True when a terminal would obey something in it that is not one of our colours or links. */
export function isObeyed(line: string): boolean {
  return /[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(
    plainOf(line).replace(/\p{RGI_Emoji}/gv, ''),
  );
}

/** The same numbers on every run. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state % below;
  };
}

const pieces = [
  'a',
  'word',
  ' ',
  '  ',
  '日',
  '本語',
  '👩‍👩‍👧',
  '🇩🇪',
  'é',
  'e\u0301',
  '❤️',
  'ㅎ',
  '한글',
  'מ',
  'ا',
  '1️⃣',
  'verylongwordthatfitsnoline',
  '-',
  '/',
  '*',
  '_',
  '`',
  '**',
  '```',
  '\n',
  '\n\n',
  '# ',
  '- ',
  '> ',
  '1. ',
  '|',
  '|---|\n',
  '[a](http://x.y)',
  '<br>',
  '&amp;',
  '\\',
  '~~',
  '    ',
];
const hostile = [
  '\x1b[31m',
  '\x1b]52;c;aGk=\x07',
  '\x1b]0;title\x07',
  '\u202e',
  '\u200b',
  '\r',
  '\t',
  '\x9b2J',
  '\0',
  '\ud800',
  '\u2028',
  '\x7f',
  '\u{e0041}',
];

/** Text made of what is hard to lay out; with `controls` also of what is not to be obeyed. */
export function randomText(random: (below: number) => number, length: number, controls = false): string {
  const from = controls ? [...pieces, ...hostile] : pieces;
  return Array.from({ length }, () => from[random(from.length)] ?? '').join('');
}
