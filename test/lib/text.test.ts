import { expect, test } from 'bun:test';
import { hashBytes } from '../../src/lib/hash.ts';
import { boundText, countLines, visible, visibleLine, visibleProse } from '../../src/lib/text/text.ts';

test('a short text is left as it is', () => {
  expect(boundText('abc', 3)).toBe('abc');
});

test('a long text keeps head and tail, says what is left out and stays within the limit', () => {
  const bounded = boundText(`HEAD${'x'.repeat(10_000)}TAIL`, 200);
  expect(bounded.length).toBeLessThanOrEqual(200);
  expect(bounded).toStartWith('HEAD');
  expect(bounded).toEndWith('TAIL');
  const cut = Number(/… (\d+) characters omitted …/.exec(bounded)?.[1]);
  expect(bounded.replace(/\n….*…\n/, '').length + cut).toBe(10_008);
});

test('no limit splits a surrogate pair', () => {
  const text = `a${'😀'.repeat(300)}`;
  for (let limit = 50; limit < 90; limit++) expect(boundText(text, limit).isWellFormed()).toBe(true);
});

test('a limit smaller than the mark still gives a whole mark', () => {
  expect(boundText('x'.repeat(100), 5)).toBe('\n… 100 characters omitted …\n');
});

for (const [name, text, shown] of [
  ['a colour', '\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
  ['a window title', '\x1b]0;own\x07', '\\x1b]0;own\\x07'],
  ['a device control string', '\x1bPq\x1b\\', '\\x1bPq\\x1b\\'],
  ['an eight-bit control', '\x9b2J', '\\x9b2J'],
  ['a carriage return', 'good\rbad', 'good\\x0dbad'],
  ['a direction override', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ['characters without width', 'a\u200bb\u2060c\ufeff', 'a\\u200bb\\u2060c\\ufeff'],
  ['tag characters', 'a\u{e0041}', 'a\\u{e0041}'],
  ['half a pair', 'a\ud83d', 'a\\ud83d'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
] as const) {
  test(`${name} is made visible`, () => {
    expect(visible(text)).toBe(shown);
  });
}

test('ordinary text, newlines, tabs and emoji stay', () => {
  const text = 'Grüße\n\t日本 😀 مرحبا';
  expect(visible(text)).toBe(text);
});

const joinedEmoji = [
  '👩\u200d👩\u200d👧',
  'a 👨🏽\u200d💻 b',
  '🏳️\u200d🌈',
  '👩\u200d❤️\u200d👨',
  '1\ufe0f\u20e3',
];

test('in prose an emoji of joined parts stays as it is', () => {
  for (const text of joinedEmoji) expect(visibleProse(text)).toBe(text);
});

test('elsewhere what joins its parts is written out', () => {
  for (const text of joinedEmoji) expect(visible(text)).toMatch(/\\u(?:200d|fe0f)/);
});

test('in prose the spaces and joiners of other languages stay', () => {
  for (const text of ['Vraiment\u202f?', '日本\u3000語', 'می\u200cخواهم', 'क्\u200dष'])
    expect(visibleProse(text)).toBe(text);
});

for (const [name, text] of [
  ['spaces that look like the ordinary one', '\u00a0\u1680\u2000\u2001\u2007\u200a\u202f\u205f\u3000'],
  ['fillers and blank signs', '\u115f\u1160\u3164\uffa0\u2800\u{1d159}\u17b4\u034f'],
  ['variation selectors', '\ufe00\ufe0e\ufe0f\u{e0100}\u{e01ef}\u180b\u180f'],
  ['invisible operators', '\u2061\u2062\u2063\u2064'],
  ['annotations and the object sign', '\ufff9\ufffa\ufffb\ufffc'],
  ['direction marks', '\u061c\u200e\u200f\u202a\u202e\u2066\u2069'],
  ['private and unassigned characters', '\ue000\u{f0000}\u{10ffff}\u0378\ufdd0'],
  ['separators and a byte order mark', '\u2028\u2029\u0085\ufeff'],
  ['shorthand and musical format', '\u{1bca0}\u{1d173}'],
] as const)
  test(`${name} are written out one by one`, () => {
    for (const character of text) expect(visible(`a${character}b`)).toMatch(/^a\\[xu][{\da-f}]+b$/);
  });

test('a heap of marks does not cover the lines around', () => {
  expect(visible(`a${'\u0301'.repeat(50)}b`)).toBe(`a${'\u0301'.repeat(8)}${'\\u0301'.repeat(42)}b`);
});

test('a name with a space of another kind is not the name with a plain one', () => {
  expect(visibleLine('a\u00a0b\u3000c', 50)).toBe('a\\xa0b\\u3000c');
});

test('what joins anything else is made visible', () => {
  expect(visible('a\u200db 😀\u200d \u200d😀 😀\u200dx')).toBe('a\\u200db 😀\\u200d \\u200d😀 😀\\u200dx');
});

test('a title that ends inside of an emoji hides nothing', () => {
  const family = '👩\u200d👩\u200d👧 and more';
  for (let most = 2; most < 12; most++) expect(visibleLine(family, most)).not.toMatch(/\u200d…$/);
});

test('a title is one bounded line', () => {
  expect(visibleLine('  fix\n\n the\tbug \x1b[2J', 100)).toBe('fix the bug \\x1b[2J');
  expect(visibleLine('x'.repeat(1000), 10)).toBe('xxxxxxxxx…');
});

test('lines are counted with or without a last newline', () => {
  expect(['', 'a', 'a\n', 'a\nb', '\n'].map(countLines)).toEqual([0, 1, 1, 2, 1]);
});

test('a hash is SHA-256 in hexadecimal', () => {
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  expect(hashBytes('')).toBe(empty);
  expect(hashBytes(new Uint8Array())).toBe(empty);
});
