import { expect, test } from 'bun:test';
import type { AgentContext } from '../../src/loop/agent-context.ts';
import { openCeiling } from '../../src/permissions/ceiling.ts';
import type { Access, BeforeTool, Hooks } from '../../src/protocol/index.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { play, resultsOf, stage, testTool } from '../loop/support.ts';

const word: BeforeTool = { decision: { behaviour: 'allow', reason: 'the hook says so' }, notes: [] };
const hooks: Hooks = {
  beforeTool: async () => word,
  permissionAsked: async () => ({ behaviour: 'allow' }),
};

function asked(access: Access, permissions: Partial<AgentContext['permissions']>) {
  const tool = testTool('Tool', { access: () => [access] });
  const { agent, prompt } = stage([calls([call('Tool', { text: 'x' })]), say('Ok.')], {
    tools: [tool],
    permissions,
  });
  prompt('Go');
  return play({ ...agent, hooks });
}

const shell: Access = { kind: 'shell', command: 'make all', cwd: '/workspace' };
const write: Access = { kind: 'write', path: '/workspace/a' };

test.each([
  ['a ceiling without a shell', shell, { ceiling: { ...openCeiling, shell: 'none' as const } }],
  ['a ceiling that asks before every command', shell, { ceiling: { ...openCeiling, shell: 'ask' as const } }],
  ['a ceiling without writing', write, { ceiling: { ...openCeiling, writes: 'none' as const } }],
  ['plan mode', write, { mode: 'plan' as const }],
  ['plan mode, for a command', shell, { mode: 'plan' as const }],
  ['a role', write, { role: { tools: '*' as const, denied: [], shell: 'full' as const, writes: false } }],
])('PE neither kind of yes of a hook lifts %s', async (_, access, permissions) => {
  const { events } = await asked(access, permissions);
  expect(resultsOf(events)[0]).toMatchObject({ isError: true });
  expect(events.some((event) => event.type === 'tool_started')).toBe(false);
});

test('a yes runs what would only have been asked about', async () => {
  const { events } = await asked(shell, {});
  expect(resultsOf(events)[0]).toMatchObject({ isError: false, text: 'x' });
});

test('an ask rule is answered by a hook for questions, not by one before calls', async () => {
  const rule = { behaviour: 'ask', tool: 'Bash', layer: 'user', source: 's', base: '/' } as const;
  const tool = testTool('Tool', { access: () => [shell] });
  const run = async (given: Hooks) => {
    const { agent, prompt } = stage([call('Tool', { text: 'x' }), say('Ok.')], {
      tools: [tool],
      permissions: { rules: [rule] },
    });
    prompt('Go');
    return resultsOf((await play({ ...agent, hooks: given })).events)[0]?.isError;
  };
  expect(await run({ beforeTool: async () => word })).toBe(true);
  expect(await run(hooks)).toBe(false);
});
