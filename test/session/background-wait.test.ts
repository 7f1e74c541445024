import { expect, test } from 'bun:test';
import { backgroundWaitMs, backgroundWaitNotices } from '../../src/session/environment.ts';

test.each([
  [{}, 600_000],
  [{ CADRE_PRINT_BG_WAIT_MS: '0' }, 0],
  [{ CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '5000' }, 5_000],
  [{ CADRE_PRINT_BG_WAIT_MS: '1', CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '2' }, 1],
  [{ CADRE_PRINT_BG_WAIT_MS: 'soon' }, 600_000],
])('the wait for background agents of %p is %p ms', (environment, expected) => {
  expect(backgroundWaitMs(environment)).toBe(expected);
});

test('a wait that is no number is said, with the variable', () => {
  expect(backgroundWaitNotices({ CADRE_PRINT_BG_WAIT_MS: 'soon' })).toEqual([
    expect.stringContaining('CADRE_PRINT_BG_WAIT_MS: expected milliseconds'),
  ]);
  expect(backgroundWaitNotices({ CADRE_PRINT_BG_WAIT_MS: '10' })).toEqual([]);
});
