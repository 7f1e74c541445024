import { describe, expect, test } from 'bun:test';
import stringWidth from 'string-width';
import { pad, paint, showControls, truncate, width, wrap } from '../../../src/tui/text/index.ts';
import { plainLines, plainOf, randomFrom, randomText } from './support.ts';

const red = { fg: '31' };

test.each([
  ['ASCII', 'abc', 3],
  ['Chinese', '日本', 4],
  ['an emoji of several people', '👩‍👩‍👧', 2],
  ['a letter with an accent of its own', 'e\u0301', 1],
  ['colours', paint(red, 'abc'), 3],
])('knows how wide is %s', (_, text, cells) => {
  expect(width(text)).toBe(cells);
});

test('measures as Ink does, character by character', () => {
  for (let code = 0x20; code < 0xfffe; code++) {
    const text = `a${String.fromCharCode(code)}日`;
    if (width(text) !== stringWidth(text)) expect([code, width(text)]).toEqual([code, stringWidth(text)]);
  }
});

test('measures as Ink does, in any company', () => {
  const random = randomFrom(2);
  for (let round = 0; round < 500; round++) {
    const text = randomText(random, 20);
    expect(width(text)).toBe(stringWidth(text));
  }
});

describe('wrapping', () => {
  test.each([
    ['between words', 'one two three', 8, ['one two', 'three']],
    ['a word that fits no line', 'see abcdefghijkl', 5, ['see', 'abcde', 'fghij', 'kl']],
    ['Chinese between characters', '日本語の文章', 5, ['日本', '語の', '文章']],
    ['no line begins with a full stop', '日本。語', 4, ['日', '本。', '語']],
    ['emoji whole', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5, ['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']],
    ['empty lines', 'a\n\nb', 5, ['a', '', 'b']],
    ['at blanks that fill a line', `one${' '.repeat(20)}two`, 8, ['one', 'two']],
    ['an indent of the text itself', '  a b', 4, ['  a', 'b']],
  ])('%s', (_, text, columns, lines) => {
    expect(wrap(text, columns)).toEqual(lines);
  });

  test('hard keeps every blank', () => {
    expect(wrap('a   b    c', 4, { hard: true })).toEqual(['a   ', 'b   ', ' c']);
  });

  test('an indent stands before all lines but the first', () => {
    expect(wrap('one two three', 6, { indent: '  ' })).toEqual(['one', '  two', '  thre', '  e']);
  });

  test('a colour is closed at the end of each line and opened on the next', () => {
    expect(wrap(paint(red, 'one two'), 4)).toEqual([paint(red, 'one'), paint(red, 'two')]);
  });

  test('a link goes on over the break', () => {
    const link = { link: 'https://a.b' };
    expect(wrap(paint(link, 'one two'), 4)).toEqual([paint(link, 'one'), paint(link, 'two')]);
  });

  test('no line is wider than asked for and no text is lost, at any width', () => {
    const random = randomFrom(3);
    for (let round = 0; round < 400; round++) {
      const text = showControls(randomText(random, 1 + random(40)));
      const columns = 2 + random(60);
      for (const hard of [true, false]) {
        const lines = wrap(paint(random(2) === 0 ? red : {}, text), columns, { hard });
        for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
        expect(plainLines(lines).join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        if (hard) expect(plainLines(lines).join('')).toBe(text.replaceAll('\n', ''));
      }
    }
  });

  test('one character without end still keeps within the line', () => {
    for (const line of wrap('ᄀ'.repeat(2000), 10)) expect(width(line)).toBeLessThanOrEqual(10);
  });
});

describe('truncating', () => {
  test.each([
    ['the end', 'abcdefghij', 5, 'end', 'abcd…'],
    ['the middle', 'abcdefghij', 5, 'middle', 'ab…ij'],
    ['the start', 'abcdefghij', 5, 'start', '…ghij'],
    ['a wide character that would stand half outside', '日本語', 4, 'end', '日…'],
    ['nothing when it fits', 'abc', 3, 'end', 'abc'],
    ['all of it when there is no room', 'abc', 0, 'end', ''],
    ['a second line', 'a\nb', 9, 'end', 'a b'],
  ] as const)('leaves out %s', (_, text, columns, where, cut) => {
    expect(truncate(text, columns, where)).toBe(cut);
  });

  test('keeps the colour and closes it', () => {
    expect(truncate(paint(red, 'abcdef'), 4)).toBe(paint(red, 'abc…'));
  });

  test('is never wider than asked for', () => {
    const random = randomFrom(5);
    for (let round = 0; round < 300; round++) {
      const text = showControls(randomText(random, 20)).replaceAll('\n', '');
      const columns = 1 + random(30);
      for (const where of ['start', 'middle', 'end'] as const)
        expect(width(truncate(text, columns, where))).toBeLessThanOrEqual(columns);
    }
  });
});

test('padding fills or cuts to exactly so many cells', () => {
  expect(pad('日', 5, 'right')).toBe('   日');
  expect(pad('ab', 5, 'center')).toBe(' ab  ');
  expect(plainOf(pad(paint(red, 'abcdef'), 4))).toBe('abc…');
});
