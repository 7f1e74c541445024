import { expect, test } from 'bun:test';
import { repeatFlags } from '../../src/commands/report.ts';
import { buildRequest } from '../../src/commands/request.ts';
import { readFlags } from '../../src/commands/table/flag.ts';
import { type MainFlags, mainFlags } from '../../src/commands/table/main-flags.ts';

/** Flags as the command line gives them, read by the tables. */
function read(given: Record<string, string | boolean | string[]>): MainFlags {
  const groups = Object.entries(mainFlags).map(([name, { flags }]) => {
    const values = readFlags(flags, given);
    if (!values.ok) throw new Error(values.problem.message);
    return [name, values.value];
  });
  return Object.fromEntries(groups);
}

test('a flag with the name of an option of sessions becomes that option, as the value it means', () => {
  const flags = read({ maxTurns: '3', maxBudgetUsd: '2.50', agent: 'Plan', tools: ['Read,Grep', 'Bash'] });
  expect(buildRequest(flags, 'hi', '/work')).toMatchObject({
    ok: true,
    value: {
      session: {
        cwd: '/work',
        maxTurns: 3,
        maxBudgetUsd: 2.5,
        agent: 'Plan',
        tools: ['Read', 'Grep', 'Bash'],
      },
    },
  });
});

test('what was not given is absent, so that it replaces nothing of a recording or an agent', () => {
  const request = buildRequest(read({}), undefined, '/work');
  const session = request.ok ? request.value.session : {};
  expect(Object.keys(session).sort()).toEqual([
    ...['allowBypass', 'cwd', 'fork', 'persist', 'sessionPersistence', 'trust'],
  ]);
});

test.each([
  [{ maxTurns: '0' }, '--max-turns 0: expected a whole number, 1 or more.'],
  [{ maxThinkingTokens: '-1' }, '--max-thinking-tokens -1: expected a whole number, 0 or more.'],
  [{ maxBudgetUsd: 'much' }, '--max-budget-usd much: expected dollars, such as 2.50.'],
  [{ outputFormat: 'xml' }, '--output-format xml: expected one of text, json, stream-json.'],
  [{ permissionMode: 'bubble' }, '--permission-mode bubble: unknown mode.'],
  [{ jsonSchema: '[]' }, '--json-schema: expected a JSON object.'],
])('a value that does not fit is refused by the name of its flag: %j', (given, message) => {
  expect(() => read(given)).toThrow(message);
});

test('a command that the screen runs gets the flags of the start that it has too', () => {
  const flags = read({ pluginDir: ['a', 'b'], trust: true, model: 'x/y', addDir: ['c'], settings: '{}' });
  expect(repeatFlags('hooks', flags)).toEqual([
    '--trust',
    '--plugin-dir',
    'a',
    '--plugin-dir',
    'b',
    '--settings',
    '{}',
  ]);
  expect(repeatFlags('agents', flags)).toEqual(['--add-dir', 'c', '--plugin-dir', 'a', '--plugin-dir', 'b']);
  expect(repeatFlags('doctor', flags)).toEqual([]);
});
