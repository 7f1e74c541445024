import { expect, test } from 'bun:test';
import { formatCost, formatCount, formatDuration, formatTokens } from '../../src/view/index.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [12_345, '12.3k'],
  [123_456, '123k'],
  [999_960, '1M'],
  [1_250_000, '1.3M'],
])('%i is %s', (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test('tokens say what they are', () => {
  expect([1, 12_300].map(formatTokens)).toEqual(['1 token', '12.3k tokens']);
});

test.each([
  [-5, '0.0s'],
  [400, '0.4s'],
  [999, '1s'],
  [12_400, '12s'],
  [59_700, '1m 00s'],
  [64_000, '1m 04s'],
  [3_600_000, '1h 00m'],
  [7_500_000, '2h 05m'],
  [187_200_000, '2d 04h'],
])('%i ms is %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text);
});

test.each([
  [null, '$?'],
  [0, '$0.00'],
  [37, '<$0.0001'],
  [50, '$0.0001'],
  [4_200, '$0.0042'],
  [123_456, '$0.12'],
  [12_000_000, '$12.00'],
])('%p millionths of a dollar are %s', (microUsd, text) => {
  expect(formatCost(microUsd)).toBe(text);
});
