import { expect, test } from 'bun:test';
import { hashBytes } from '../../src/lib/hash.ts';
import { boundText, countLines, visible, visibleLine } from '../../src/lib/text.ts';

test('a short text is left as it is', () => {
  expect(boundText('abc', 3)).toBe('abc');
});

test('a long text keeps head and tail, says what is left out and stays within the limit', () => {
  const bounded = boundText(`HEAD${'x'.repeat(10_000)}TAIL`, 200);
  expect(bounded.length).toBeLessThanOrEqual(200);
  expect(bounded).toStartWith('HEAD');
  expect(bounded).toEndWith('TAIL');
  const cut = Number(/… (\d+) characters left out …/.exec(bounded)?.[1]);
  expect(bounded.replace(/\n….*…\n/, '').length + cut).toBe(10_008);
});

test('no limit splits a surrogate pair', () => {
  const text = `a${'😀'.repeat(300)}`;
  for (let limit = 50; limit < 90; limit++) expect(boundText(text, limit).isWellFormed()).toBe(true);
});

test('a limit smaller than the mark still gives a whole mark', () => {
  expect(boundText('x'.repeat(100), 5)).toBe('\n… 100 characters left out …\n');
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

test('an emoji of joined parts stays as it is', () => {
  for (const text of ['👩\u200d👩\u200d👧', 'a 👨🏽\u200d💻 b', '🏳️\u200d🌈', '👩\u200d❤️\u200d👨'])
    expect(visible(text)).toBe(text);
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
