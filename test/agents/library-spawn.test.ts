import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnce } from '../../src/index.ts';
import type { SpawnRequest } from '../../src/session/agents/spawn.ts';
import { openSession } from '../../src/session/open.ts';
import { hang, say, scriptedModel } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { until } from '../support/index.ts';
import { openStory, prepared } from './support.ts';

const bypass = { permissionMode: 'bypassPermissions' } as const;

test('TS7 an agent that a program stops is killed, with the reason', async () => {
  const story = await openStory({ lead: [say('I see.')], agents: { Work: [hang(say('I begin'))] } });
  const spawned = await story.session.spawn({ kind: 'local_agent', prompt: 'Work' });
  if (!spawned.ok) throw new Error(spawned.problem.message);
  await prepared('Work');
  await spawned.value.kill();
  expect(spawned.value.status()).toBe('killed');
  expect(await spawned.value.result()).toMatchObject({
    status: 'killed',
    outcome: 'killed',
    reason: 'stopped by the program',
  });
  await story.session.close();
});

test('TS7 a program starts a monitor, whose events wake the lead', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const story = await openStory({ lead: () => say('Noted.'), agents: {} }, bypass, at);
  const spawned = await story.session.spawn({
    kind: 'monitor_mcp',
    description: 'the log',
    command: 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo second',
  });
  if (!spawned.ok) throw new Error(spawned.problem.message);
  await until(() => JSON.stringify(story.leadRequests().at(-1)?.messages ?? '').includes('first'));
  writeFileSync(join(at.cwd, 'go'), '');
  expect(await spawned.value.result()).toMatchObject({ status: 'completed', text: '2 events.' });
  expect(readFileSync(spawned.value.outputFile, 'utf8')).toBe('first\nsecond\n');
  await story.session.close();
});

const wrong: [what: string, request: unknown, says: string][] = [
  ['no request', undefined, 'kind'],
  ['an unknown kind', { kind: 'far_agent' }, 'kind'],
  ['an agent without a prompt', { kind: 'local_agent' }, 'prompt'],
  ['an agent whose prompt is no text', { kind: 'local_agent', prompt: 7 }, 'prompt'],
  ['an agent whose name is no text', { kind: 'local_agent', prompt: 'Go', name: {} }, 'name'],
  ['a command that is missing', { kind: 'local_bash' }, 'command'],
  ['an empty command', { kind: 'local_bash', command: '  ' }, 'command'],
  ['a time limit that is none', { kind: 'local_bash', command: 'true', timeout: -1 }, 'timeout'],
  ['a monitor of nothing', { kind: 'monitor_mcp', description: 'x' }, 'command or server'],
  [
    'a monitor of a server that is not there',
    { kind: 'monitor_mcp', description: 'x', server: 'y' },
    'MCP server',
  ],
  ['a dream about a number', { kind: 'dream', about: 7 }, 'about'],
];

test.each(wrong)('TS7 AG10 spawn answers %s with a problem', async (_, request, says) => {
  const story = await openStory({ lead: [], agents: {} }, bypass);
  const spawned = await story.session.spawn(request as SpawnRequest);
  expect(spawned.ok).toBe(false);
  if (!spawned.ok) expect(`${spawned.problem.message} ${spawned.problem.hint ?? ''}`).toContain(says);
  await story.session.close();
});

test('AG10 commands and messages that are none are answered with a problem', async () => {
  const story = await openStory({ lead: [], agents: {} });
  for (const command of [
    undefined,
    {},
    { type: 'nothing' },
    { type: 'prompt' },
    { type: 'prompt', content: 7 },
    { type: 'stop_task' },
    { type: 'set_permission_mode', mode: 'x' },
    { type: 'set_model', model: 7 },
  ])
    expect([command, story.session.send(command as never).ok]).toEqual([command, false]);
  expect((await story.session.messageAgent(7 as never, 'x')).ok).toBe(false);
  expect((await story.session.messageAgent('x', undefined as never)).ok).toBe(false);
  await story.session.close();
});

test('AG10 a team and a rewind that are none are answered with a problem', async () => {
  const story = await openStory({ lead: [], agents: {} });
  for (const wrongWish of [undefined, 7, {}, { name: 7 }, { to: 7 }]) {
    expect([wrongWish, (await story.session.createTeam(wrongWish as never)).ok]).toEqual([wrongWish, false]);
    expect([wrongWish, (await story.session.rewind(wrongWish as never)).ok]).toEqual([wrongWish, false]);
  }
  await story.session.close();
});

test('AG10 a run without a prompt, or with options of the wrong type, is a failed outcome', async () => {
  const { cwd, environment } = place();
  mkdirSync(cwd, { recursive: true });
  const base = { cwd, environment, model: scriptedModel([]) };
  for (const wrongOptions of [
    {},
    { prompt: 7 },
    { prompt: '' },
    { prompt: 'x', allowedTools: 'Read' },
    { prompt: 'x', agents: 7 },
    { prompt: 'x', agentId: 7 },
    { prompt: 'x', forkMessages: [{}] },
    { prompt: 'x', signal: 7 },
    { prompt: 'x', budget: 7 },
    { prompt: 'x', budget: { dollars: 7 } },
    { prompt: 'x', budget: { usd: Number.NaN } },
  ]) {
    const result = await runOnce({ ...base, ...wrongOptions } as never);
    expect([wrongOptions, result.outcome.kind]).toEqual([wrongOptions, 'failed']);
  }
  for (const wrongOptions of [{ cwd: 7 }, { environment: 7, cwd }]) {
    const opened = await openSession(wrongOptions as never);
    expect([wrongOptions, opened.ok]).toEqual([wrongOptions, false]);
  }
});

test('TS6 a dream takes any description', async () => {
  const story = await openStory({ lead: [], agents: {} });
  for (const about of ['', 'tests\nand\u001b[31m colours', 'x'.repeat(5_000)]) {
    const spawned = await story.session.spawn({ kind: 'dream', about });
    if (!spawned.ok) throw new Error(spawned.problem.message);
    expect(await spawned.value.result()).toMatchObject({ status: 'completed' });
    const task = story.session.tasks().find(({ id }) => id === spawned.value.id);
    expect(task?.description).toMatch(/^[^\p{Cc}]{1,300}$/u);
  }
  const named = await story.session.spawn({ kind: 'dream', description: 'nightly' });
  if (!named.ok) throw new Error(named.problem.message);
  await named.value.result();
  expect(story.session.tasks().at(-1)?.description).toBe('nightly');
  await story.session.close();
});
