import { expect, test } from 'bun:test';
import { fillSection, variableNotices } from '../../src/settings/environment.ts';
import { agents } from '../../src/settings/table/agents.ts';

test.each([
  [{}, 600],
  [{ CADRE_PRINT_BG_WAIT_MS: '0' }, 0],
  [{ CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '5000' }, 5],
  [{ CADRE_PRINT_BG_WAIT_MS: '1', CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: '2' }, 0.001],
  [{ CADRE_PRINT_BG_WAIT_MS: 'soon' }, 600],
])('the wait for background agents of %p is %p s', (environment, expected) => {
  expect(fillSection(agents.section, {}, environment).printWaitSeconds).toBe(expected);
});

test('a wait that is no number is said, with the variable', () => {
  expect(variableNotices({ CADRE_PRINT_BG_WAIT_MS: 'soon' })).toEqual([
    expect.stringContaining('CADRE_PRINT_BG_WAIT_MS: expected milliseconds'),
  ]);
  expect(variableNotices({ CADRE_PRINT_BG_WAIT_MS: '10' })).toEqual([]);
});
