import { expect, test } from 'bun:test';
import { wrapColumns } from '../../../src/tui/text/index.ts';

test('what fits stays as it is', () => {
  expect(wrapColumns('  key   what it does', 40)).toEqual(['  key   what it does']);
});

test('what does not fit goes on under the last column', () => {
  expect(wrapColumns('  key   what it does when somebody presses it', 30)).toEqual([
    '  key   what it does when',
    '        somebody presses it',
  ]);
});

test('where the last column is too narrow the columns are given up', () => {
  expect(wrapColumns('  a long name for a key      what it does', 30)).toEqual([
    '  a long name for a key  what',
    '      it does',
  ]);
});

test('words that are no table keep their indent', () => {
  expect(wrapColumns('  one sentence that is longer than that', 20)).toEqual([
    '  one sentence that',
    '  is longer than',
    '  that',
  ]);
});
