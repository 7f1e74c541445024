import { expect, test } from 'bun:test';
import { variableNotices } from '../../src/settings/environment.ts';

test.each([
  ['CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH', '99', '2'],
  ['CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS', 'x', '4'],
  ['CADRE_AUTO_BACKGROUND_TASKS', 'maybe', 'off'],
  ['CADRE_AUTO_BACKGROUND_TASKS', '-1', '30'],
  ['MCP_TIMEOUT', 'abc', '1000'],
  ['MCP_TOOL_TIMEOUT', '0', '1000'],
  ['CADRE_MCP_STARTUP_WAIT_MS', '1s', '0'],
])('%s: %s is told, %s is not', (name, wrong, right) => {
  expect(variableNotices({ [name]: wrong })).toEqual([expect.stringContaining(`${name}: expected `)]);
  expect(variableNotices({ [name]: right })).toEqual([]);
});
