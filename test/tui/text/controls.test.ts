import { expect, test } from 'bun:test';
import { boundLine, boundText, showControls, showLine, showParts } from '../../../src/tui/text/index.ts';
import { isObeyed, randomFrom, randomText } from './support.ts';

test.each([
  ['a colour', 'a\x1b[31mb', 'a␛[31mb'],
  ['a title', '\x1b]0;owned\x07', '␛]0;owned␇'],
  ['the clipboard', '\x1b]52;c;aGk=\x1b\\', '␛]52;c;aGk=␛\\'],
  ['an 8-bit control', 'a\x9b2Jb', 'a⟨U+009B⟩2Jb'],
  ['NUL, backspace and DEL', 'a\0\b\x7f', 'a␀␈␡'],
  ['a carriage return that would overwrite', 'curl evil\rls', 'curl evil␍ls'],
  ['marks of direction', 'a\u202eb\u2066c\u200fd\u061ce', 'a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩d⟨U+061C⟩e'],
  ['characters without width', 'a\u200bb\ufeffc\u2060\u00add', 'a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+2060⟩⟨U+00AD⟩d'],
  ['separators of lines', 'a\u2028b\u2029c\u0085', 'a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩'],
  ['half of a pair', 'a\ud800b\udc00', 'a⟨U+D800⟩b⟨U+DC00⟩'],
  ['letters written as tags', 'a\u{e0041}\u{e0042}', 'a⟨U+E0041⟩⟨U+E0042⟩'],
  ['variation selectors that hide data', 'a\ufe01\u{e0101}', 'a⟨U+FE01⟩⟨U+E0101⟩'],
  ['a joiner between letters', 'pass\u200dword', 'pass⟨U+200D⟩word'],
])('shows and does not obey %s', (_, text, shown) => {
  expect(showControls(text)).toBe(shown);
});

test.each([
  ['newlines, also of Windows', 'a\nb\r\nc', 'a\nb\nc'],
  ['emoji with their joiners', '👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 ⚠︎', '👩‍👩‍👧 ❤️ 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 ⚠︎'],
  ['what Persian and Hindi are written with', 'می‌خواهم क्‍ष', 'می‌خواهم क्‍ष'],
  ['accents', 'e\u0301 ñ', 'e\u0301 ñ'],
])('keeps %s in prose', (_, text, shown) => {
  expect(showControls(text, 'prose')).toBe(shown);
});

test('where somebody approves it nothing of an emoji stays unseen', () => {
  expect(showControls('👩\u200d💻 ❤\ufe0f')).toBe('👩⟨U+200D⟩💻 ❤⟨U+FE0F⟩');
});

test('tabs become blanks up to the next stop', () => {
  expect(showControls('a\tbb\tc\n\t日\tx')).toBe('a   bb  c\n    日  x');
});

test('a heap of marks on one letter is counted instead of drawn over the lines around', () => {
  expect(showControls(`a${'\u0301'.repeat(50)}b`)).toBe(`a${'\u0301'.repeat(8)}⟨42 marks⟩b`);
});

test('what was written out can be told from the same characters in the text', () => {
  expect(showParts('␛ \x1b')).toEqual([
    { text: '␛ ', isControl: false },
    { text: '␛', isControl: true },
  ]);
});

test('nothing that is made of hostile pieces is obeyed', () => {
  const random = randomFrom(7);
  for (let round = 0; round < 300; round++) {
    const text = randomText(random, 30, true);
    for (const line of showControls(text).split('\n')) expect(isObeyed(line)).toBe(false);
  }
});

test('shown once is shown for good', () => {
  const random = randomFrom(11);
  for (let round = 0; round < 200; round++) {
    const shown = showControls(randomText(random, 30, true));
    expect(showControls(shown)).toBe(shown);
  }
});

test('a title is one line, bounded before it is looked at', () => {
  expect(showLine('  a\n\n b\t\x1b[2J ')).toBe('a b ␛[2J');
  expect(showLine('x'.repeat(10_000_000), 100).length).toBeLessThanOrEqual(100);
});

test('a title of a long text ends as the text does, and counts all that is left out', () => {
  const shown = showLine(`start${'x'.repeat(10_000)}end`, 600);
  expect(shown).toStartWith('startxxx');
  expect(shown).toEndWith('xxxend');
  const [, left] = /… (\d+) characters …/.exec(shown) ?? [];
  expect(shown.replace(/ … .* … /, '').length + Number(left)).toBe(10_008);
  expect(showLine(`a${' '.repeat(10_000)}b`, 600)).toBe('a … b');
});

test('a long line keeps its head and its tail, and says how much is between them', () => {
  const bounded = boundLine(`start${'x'.repeat(10_000_000)}end`, 1000);
  expect(bounded.length).toBeLessThanOrEqual(1000);
  expect(bounded).toStartWith('start');
  expect(bounded).toEndWith('end');
  expect(bounded).toContain('characters …');
});

test('a cut falls between characters, not inside of one', () => {
  for (let most = 60; most < 80; most++) expect(boundLine('👍'.repeat(500), most).isWellFormed()).toBe(true);
});

test.each([
  ['head', '0\n1\n2\n3', 6],
  ['tail', '6\n7\n8\n9', 6],
  ['both', '0\n1\n… 6 lines …\n8\n9', 6],
] as const)('of too many lines the %s stays', (keep, text, left) => {
  expect(boundText('0\n1\n2\n3\n4\n5\n6\n7\n8\n9', { maxLines: 4, keep })).toEqual({ text, left });
});

test('a text within its limits stays as it is', () => {
  expect(boundText('a\nb')).toEqual({ text: 'a\nb', left: 0 });
});

test.each([
  ['escapes', '\x1b'.repeat(300_000)],
  ['joiners', '\u200d'.repeat(200_000)],
  ['half of an emoji', '👩‍'.repeat(100_000)],
  ['accents', '\u0301'.repeat(1_000_000)],
  ['tabs', '\t日'.repeat(50_000)],
])('a megabyte of %s is shown in linear time', (_, text) => {
  expect(showControls(text).length).toBeGreaterThan(0);
});

test('what stands for the part of a line that was cut is never longer than that part', () => {
  for (let most = 1; most < 120; most++)
    for (let length = most; length < most + 60; length++) {
      const line = 'x'.repeat(length);
      const bounded = boundLine(line, most);
      expect(bounded.length).toBeLessThanOrEqual(most);
      const [, left] = /… (\d+) characters …/.exec(bounded) ?? [];
      if (left !== undefined) expect(bounded.replace(/[^x]/g, '').length + Number(left)).toBe(length);
    }
});
