import { expect, test } from 'bun:test';
import { formatDay } from '../../src/lib/text/local-time.ts';

const now = new Date(2026, 2, 1, 12).getTime();

test.each([
  [new Date(2026, 2, 1, 9, 5), '09:05'],
  [new Date(2026, 1, 28, 17, 25), 'yesterday 17:25'],
  [new Date(2026, 1, 27, 17, 25), '27 Feb 17:25'],
  [new Date(2025, 11, 31, 17, 25), '2025-12-31'],
])('a time is as short as its distance allows: %p', (at, shown) => {
  expect(formatDay(at.getTime(), now)).toBe(shown);
});
