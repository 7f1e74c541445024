import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GivenAgents } from '../../src/agents/definitions/given-agents.ts';
import type { PermissionMode } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, say } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { agentTasks, gate, nextEvent, openStory, quiet } from './support.ts';

const hire = (subagent_type: string, more = {}) =>
  call('Agent', { description: 'x', prompt: 'Write it', subagent_type, ...more });
const writes = call('Write', { file_path: 'made.txt', content: 'made' });

/** Whether a child of this type wrote a file, under this parent. */
async function wrote(type: string, options: SessionOptions, at = place()): Promise<boolean> {
  const story = await openStory(
    { lead: [hire(type), say('Ok.')], agents: { 'Write it': [writes, say('Tried.')] } },
    options,
    at,
  );
  await story.prompt('Go');
  await story.session.close();
  return existsSync(join(story.at.cwd, 'made.txt'));
}

const allowBypass = { allowBypass: true };
const agents = (permissionMode?: PermissionMode): GivenAgents => ({
  writer: { description: 'x', prompt: 'x', ...(permissionMode ? { permissionMode } : {}) },
});

/** PE2: the parent's mode, the definition's, and whether an unattended child may write in the workspace. */
test.each<[PermissionMode, PermissionMode | undefined, boolean]>([
  ['default', undefined, false],
  ['acceptEdits', undefined, true],
  ['bypassPermissions', undefined, true],
  ['dontAsk', undefined, false],
  ['plan', undefined, false],
  ['default', 'acceptEdits', true],
  ['default', 'bypassPermissions', true],
  ['default', 'plan', false],
  ['plan', 'acceptEdits', false],
  ['plan', 'bypassPermissions', false],
  ['acceptEdits', 'default', true],
  ['acceptEdits', 'plan', false],
  ['bypassPermissions', 'plan', false],
  ['bypassPermissions', 'dontAsk', false],
  ['acceptEdits', 'dontAsk', false],
])('PE2 parent %s, definition %s: writes unasked: %s', async (parent, own, expected) => {
  expect(await wrote('writer', { permissionMode: parent, agents: agents(own), ...allowBypass })).toBe(
    expected,
  );
});

test('PE2 a definition cannot bypass where the session may not', async () => {
  expect(await wrote('writer', { agents: agents('bypassPermissions') })).toBe(false);
});

test.each(['acceptEdits', 'bypassPermissions'])(
  "PE2 a project's file cannot widen the mode: %s",
  async (mode) => {
    const at = place();
    const folder = join(at.cwd, '.claude', 'agents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'writer.md'),
      `---\nname: writer\ndescription: x\npermissionMode: ${mode}\n---\nYou write.\n`,
    );
    expect(await wrote('writer', { ...allowBypass, trust: true }, at)).toBe(false);
  },
);

test("PE2 a project's file may narrow it", async () => {
  const at = place();
  const folder = join(at.cwd, '.claude', 'agents');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'writer.md'),
    '---\nname: writer\ndescription: x\npermissionMode: plan\n---\nYou write.\n',
  );
  expect(await wrote('writer', { permissionMode: 'acceptEdits', trust: true }, at)).toBe(false);
});

test('PE2 agents.permissionMode acceptEdits lets agents edit where nothing else says', async () => {
  expect(await wrote('writer', { agents: agents(), agentLimits: { permissionMode: 'acceptEdits' } })).toBe(
    true,
  );
});

test('PE5 deny rules reach children, whatever their mode', async () => {
  const options = {
    permissionMode: 'bypassPermissions' as const,
    agents: agents(),
    disallowedTools: ['Edit(made.txt)'],
  };
  expect(await wrote('writer', options)).toBe(false);
});

test('PE5 allow rules of the command line count for children too', async () => {
  expect(await wrote('writer', { agents: agents(), allowedTools: ['Edit(made.txt)'] })).toBe(true);
});

test('G2 a read-only role stays one under a parent that asks about nothing', async () => {
  expect(await wrote('Explore', { permissionMode: 'bypassPermissions' })).toBe(false);
});

test('PE2 a change of mode by the user counts for a running child at once', async () => {
  const step = gate();
  const story = await openStory(
    {
      lead: [hire('writer'), say('Ok.')],
      agents: { 'Write it': [() => step.opened.then(() => writes), say('Tried.')] },
    },
    { permissionMode: 'acceptEdits', agents: agents() },
  );
  const begun = nextEvent(story, (event) => event.type === 'run_started' && event.agentId !== null);
  story.session.send({ type: 'prompt', content: 'Go' });
  await begun;
  story.session.send({ type: 'set_permission_mode', mode: 'plan' });
  step.open();
  await story.runs(1);
  expect(existsSync(join(story.at.cwd, 'made.txt'))).toBe(false);
  await story.session.close();
});

test('PE3 a question of a child says who asks, and several wait side by side', async () => {
  const story = await openStory(
    {
      lead: [calls([hire('writer', { prompt: 'Left' }), hire('writer', { prompt: 'Right' })]), say('Ok.')],
      agents: {
        Left: [call('Write', { file_path: 'left.txt', content: '' }), say('Left done.')],
        Right: [call('Write', { file_path: 'right.txt', content: '' }), say('Right done.')],
      },
    },
    { agents: agents(), attended: true },
  );
  const asked: { id: string; agentId: string | null; path: unknown }[] = [];
  const both = nextEvent(story, (event) => {
    if (event.type !== 'question_asked') return false;
    const { id, agentId, input } = event.question;
    asked.push({ id, agentId, path: (input as { file_path: unknown }).file_path });
    return asked.length === 2;
  });
  story.session.send({ type: 'prompt', content: 'Go' });
  await both;
  const [left, right] = agentTasks(story);
  expect(asked.map(({ agentId }) => agentId).sort()).toEqual([left?.id, right?.id].sort() as string[]);
  for (const { id, path } of asked)
    story.session.send({
      type: 'answer',
      questionId: id,
      answer: path === 'left.txt' ? { behaviour: 'allow' } : { behaviour: 'deny', message: 'no' },
    });
  await quiet(story);
  expect([existsSync(join(story.at.cwd, 'left.txt')), existsSync(join(story.at.cwd, 'right.txt'))]).toEqual([
    true,
    false,
  ]);
  await story.session.close();
});

test('PE3 where nobody attends, a child is refused at once with words it can act on', async () => {
  const story = await openStory({
    lead: [hire('general-purpose'), say('Ok.')],
    agents: { 'Write it': [writes, say('Tried.')] },
  });
  await story.prompt('Go');
  expect(JSON.stringify(story.requestsOf('Write it')[1]?.messages.at(-1))).toContain(
    'There is no user to approve this call',
  );
  await story.session.close();
});

test('PE2 a fork asks as its parent does', async () => {
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'Write it' }), say('Ok.'), say('Heard.')],
      agents: { 'Write it': [writes, say('Tried.')] },
    },
    { agentLimits: { fork: true }, permissionMode: 'plan' },
  );
  await story.prompt('Go');
  await quiet(story);
  expect(existsSync(join(story.at.cwd, 'made.txt'))).toBe(false);
  await story.session.close();
});

test('PE7 a tool that the definition does not give is refused though the model calls it', async () => {
  const options = {
    agents: { writer: { description: 'x', prompt: 'x', tools: ['Read'] } },
    permissionMode: 'bypassPermissions' as const,
  };
  expect(await wrote('writer', options)).toBe(false);
});

test('TF4 what an agent may start is narrowed at every depth', async () => {
  const story = await openStory(
    {
      lead: [hire('boss', { prompt: 'Lead' }), say('Ok.')],
      agents: { Lead: [hire('writer'), say('Tried.')] },
    },
    {
      agents: { boss: { description: 'x', prompt: 'x', tools: ['Agent(Explore)', 'Read'] }, ...agents() },
      agentLimits: { maxDepth: 2 },
    },
  );
  await story.prompt('Go');
  expect(JSON.stringify(story.requestsOf('Lead')[1]?.messages.at(-1))).toContain(
    'This agent may not start agents of type',
  );
  await story.session.close();
});

test('PL1 PL2 an agent with a plan mode of its own is told the phases and its plan file, before its prompt', async () => {
  const story = await openStory(
    {
      lead: [hire('writer', { run_in_background: false }), say('Ok.')],
      agents: { 'Write it': [say('Planned.')] },
    },
    { agents: agents('plan'), attended: true },
  );
  await story.prompt('Go');
  const [first] = story.requestsOf('Write it');
  const texts = first?.messages[0]?.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  expect(texts).toHaveLength(2);
  expect(texts?.[0]).toContain('Work in four phases');
  // It starts no agents, and nobody answers it.
  expect(texts?.[0]).not.toMatch(/Explore agents|Plan agents|Ask the user/);
  expect(texts?.[0]).toContain('Call ExitPlanMode');
  expect(texts?.[0]).toContain(
    `The plan file: ${join(story.at.home, 'plans')}/plan-${agentTasks(story)[0]?.id}.md`,
  );
  expect(texts?.[1]).toBe('Write it');
  await story.session.close();
});

test('PL2 whom a planning session starts helps with its plan, and is told of no other', async () => {
  const story = await openStory(
    { lead: [hire('writer'), say('Ok.')], agents: { 'Write it': [say('Looked.')] } },
    { agents: agents('plan'), permissionMode: 'plan', attended: true },
  );
  await story.prompt('Go');
  expect(JSON.stringify(story.requestsOf('Write it')[0]?.messages)).not.toMatch(/(?:four|five) phases/);
  await story.session.close();
});

test('G2 --tools limits every agent of the session, whatever its definition says', async () => {
  const given: GivenAgents = {
    ...agents('bypassPermissions'),
    namer: { description: 'x', prompt: 'x', tools: ['Write', 'Read', 'Bash'] },
  };
  const options = { permissionMode: 'bypassPermissions' as const, agents: given, tools: ['Read', 'Agent'] };
  for (const type of ['general-purpose', 'writer', 'namer']) expect(await wrote(type, options)).toBe(false);
  expect(await wrote('writer', { ...options, tools: ['Read', 'Agent', 'Write'] })).toBe(true);
});

test('G2 --tools limits a fork and what it hires', async () => {
  const options = {
    ...{ permissionMode: 'bypassPermissions' as const, tools: ['Read', 'Agent'] },
    agentLimits: { fork: true },
  };
  const story = await openStory(
    {
      lead: [call('Agent', { description: 'x', prompt: 'Write it' }), say('Ok.')],
      agents: { 'Write it': [writes, call('Bash', { command: 'touch made.txt' }), say('Tried.')] },
    },
    options,
  );
  await story.prompt('Go');
  await story.session.close();
  expect(existsSync(join(story.at.cwd, 'made.txt'))).toBe(false);
});

test('TF3 an agent that --tools leaves the shell reads and stops its own background commands', async () => {
  const story = await openStory(
    {
      lead: [hire('general-purpose'), say('Ok.')],
      agents: {
        'Write it': [
          call('Bash', { command: 'echo made > made.txt' }),
          call('TaskOutput', { task_id: 'none' }),
          say('Done.'),
        ],
      },
    },
    { permissionMode: 'bypassPermissions', tools: ['Bash', 'Agent'], sandbox: false },
  );
  await story.prompt('Go');
  await story.session.close();
  expect(existsSync(join(story.at.cwd, 'made.txt'))).toBe(true);
});
