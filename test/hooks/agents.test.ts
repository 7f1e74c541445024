import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findOwned } from '../../src/lib/processes/process.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, failWith, hang, say, type Turn } from '../../src/testing/index.ts';
import { openStory } from '../agents/support.ts';
import { bench, notices, of, on, specific } from './support.ts';

const job = (prompt: string, more: object = {}) => call('Agent', { description: 'Job', prompt, ...more });

function told(lines: string[]) {
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const log = (path: string) => `input=$(cat); echo "$input" >> ${path}`;

test('an agent starts and stops with the same id, and its calls bear it', async () => {
  const b = bench();
  b.hooks({
    SubagentStart: on(log(b.path('log'))),
    PreToolUse: on(log(b.path('log')), {}, 'Bash'),
    SubagentStop: on(log(b.path('log'))),
    Stop: on(log(b.path('log'))),
  });
  const script = {
    lead: [job('Do it.'), say('Done.')],
    agents: { 'Do it.': [call('Bash', { command: 'ls' }), say('It is done.')] },
  };
  const story = await openStory(script, {}, b.at);
  await story.prompt('Go');
  const { agentId } = story.toolData()[0] as { agentId: string };
  const lines = told(b.lines('log'));
  expect(lines.map(({ hook_event_name, agent_id }) => [hook_event_name, agent_id])).toEqual([
    ['SubagentStart', agentId],
    ['PreToolUse', agentId],
    ['SubagentStop', agentId],
    ['Stop', undefined],
  ]);
  expect(lines[2]).toMatchObject({
    agent_type: 'general-purpose',
    stop_hook_active: false,
    last_assistant_message: 'It is done.',
    agent_transcript_path: story.agentTranscript(agentId),
  });
  await story.session.close();
});

test('a matcher picks the types of agents', async () => {
  const b = bench();
  b.hooks({ SubagentStart: on(`echo x >> ${b.path('log')}`, {}, 'Explore') });
  const lead = [job('One.'), job('Two.', { subagent_type: 'Explore' }), say('Done.')];
  const story = await openStory({ lead, agents: { 'One.': [say('1')], 'Two.': [say('2')] } }, {}, b.at);
  await story.prompt('Go');
  expect(b.lines('log')).toEqual(['x']);
  await story.session.close();
});

test('what is added at its start is in the first request, and a blocked stop is its next instruction', async () => {
  const b = bench();
  b.hooks({
    SubagentStart: on(specific('SubagentStart', { additionalContext: 'Use tabs.' })),
    SubagentStop: on(`[[ $(cat) == *'"stop_hook_active":true'* ]] || { echo "say more" >&2; exit 2; }`),
  });
  const script = {
    lead: [job('Do it.'), say('Done.')],
    agents: { 'Do it.': [say('Short.'), say('Longer.')] },
  };
  const story = await openStory(script, {}, b.at);
  await story.prompt('Go');
  const [first, second] = story.requestsOf('Do it.') as [ModelRequest, ModelRequest];
  expect(JSON.stringify(first.messages)).toContain('Use tabs.');
  expect(JSON.stringify(second.messages)).toContain('say more');
  expect(story.results()[0]).toContain('Longer.');
  await story.session.close();
});

test("an agent's own hooks are its own, its Stop is heard when it stops, and they end with it", async () => {
  const b = bench();
  const agents = {
    guarded: {
      description: 'is guarded',
      prompt: 'Work.',
      hooks: {
        PreToolUse: [
          ...on('exit 2', {}, 'Bash'),
          ...on(`echo $$ > ${b.path('pid')}; sleep 300`, { async: true }, 'Bash'),
        ],
        Stop: on(log(b.path('stop'))),
      },
    },
  };
  const story = await openStory(
    {
      lead: [
        job('Do it.', { subagent_type: 'guarded' }),
        call('Bash', { command: 'touch mine' }),
        say('Done.'),
      ],
      agents: { 'Do it.': [call('Bash', { command: 'touch its' }), say('No.')] },
    },
    { agents, allowedTools: ['Bash'] },
    b.at,
  );
  const ended = story.prompt('Go');
  await ended;
  expect(existsSync(join(b.at.cwd, 'its'))).toBe(false);
  expect(existsSync(join(b.at.cwd, 'mine'))).toBe(true);
  expect(told(b.lines('stop'))).toMatchObject([{ hook_event_name: 'SubagentStop', agent_type: 'guarded' }]);
  while (findOwned({ owner: story.session.id }).length > 0) await Bun.sleep(5);
  await story.session.close();
});

test('a session that runs as an agent has its hooks, with a Stop of its own', async () => {
  const b = bench();
  const agents = {
    me: {
      description: 'me',
      prompt: 'Be.',
      hooks: { Stop: on(log(b.path('log'))), PreToolUse: on('exit 2') },
    },
  };
  const story = await openStory(
    { lead: [call('Bash', { command: 'touch made' }), say('Done.')], agents: {} },
    { agents, agent: 'me', allowedTools: ['Bash'] },
    b.at,
  );
  await story.prompt('Go');
  expect(existsSync(join(b.at.cwd, 'made'))).toBe(false);
  expect(told(b.lines('log'))).toMatchObject([{ hook_event_name: 'Stop', agent_type: 'me' }]);
  await story.session.close();
});

test("a repository's agent brings its hooks along only once they are trusted", async () => {
  for (const trust of [false, true]) {
    const b = bench();
    const folder = join(b.at.cwd, '.claude', 'agents');
    mkdirSync(folder, { recursive: true });
    const hooks = JSON.stringify({ SubagentStart: on(`echo ran > ${b.path('marker')}`) });
    writeFileSync(join(folder, 'a.md'), `---\nname: a\ndescription: a\nhooks: ${hooks}\n---\nWork.`);
    const lead = [job('Do it.', { subagent_type: 'a' }), say('Done.')];
    const story = await openStory({ lead, agents: { 'Do it.': [say('Ok.')] } }, { trust }, b.at);
    await story.prompt('Go');
    expect(existsSync(b.path('marker'))).toBe(trust);
    if (!trust) expect(notices(story.events)).toContain('hooks of the agent a. Run cadre trust');
    await story.session.close();
  }
});

test('every start has exactly one stop with the same id, however agents end', async () => {
  const b = bench();
  b.hooks({ SubagentStart: on(log(b.path('log'))), SubagentStop: on(log(b.path('log'))) });
  const random = seeded(7);
  const endings: (() => { turns: Turn[]; more?: object })[] = [
    () => ({ turns: [say('fine')] }),
    () => ({ turns: [call('Bash', { command: 'ls' }), say('fine')] }),
    () => ({ turns: [say('')] }),
    () => ({ turns: [failWith({ kind: 'invalid_request', message: 'no' })] }),
    () => ({ turns: [() => Promise.reject(new Error('crash'))] }),
    () => ({ turns: [hang()], more: { run_in_background: true } }),
    () => ({ turns: [call('Bash', { command: 'ls' }), call('Bash', { command: 'ls' }), say('never')] }),
    () => ({ turns: [say('slow')], more: { run_in_background: true } }),
  ];
  const count = 200;
  const chosen = Array.from(
    { length: count },
    () => endings[Math.floor(random() * endings.length)]?.() ?? { turns: [] },
  );
  const agents = Object.fromEntries(chosen.map(({ turns }, index) => [`Job ${index}.`, turns]));
  const lead: Turn[] = [
    ...chosen.map(({ more }, index) => job(`Job ${index}.`, more)),
    ...Array.from({ length: count }, () => say('Ok.')),
  ];
  const story = await openStory(
    { lead, agents },
    { agentLimits: { maxTurns: 2, askAboveAgents: 1000 } },
    b.at,
  );
  await story.prompt('Go');
  for (const task of story.session.tasks()) story.session.send({ type: 'stop_task', taskId: task.id });
  await story.session.close();
  const lines = told(b.lines('log'));
  const ids = (event: string) =>
    lines.filter((one) => one.hook_event_name === event).map((one) => String(one.agent_id));
  const starts = ids('SubagentStart');
  expect(starts).toHaveLength(count);
  expect(new Set(starts).size).toBe(count);
  expect(ids('SubagentStop').sort()).toEqual(starts.sort());
  expect(findOwned({ owner: story.session.id })).toEqual([]);
}, 120_000);

test('an agent that was stopped before its turn came has neither a start nor a stop', async () => {
  const b = bench();
  b.hooks({ SubagentStart: on(log(b.path('log'))), SubagentStop: on(log(b.path('log'))) });
  const lead = [
    job('One.', { run_in_background: true }),
    job('Two.', { run_in_background: true }),
    say('Ok.'),
    say('Ok.'),
  ];
  const story = await openStory(
    { lead, agents: { 'One.': [hang()], 'Two.': [say('never')] } },
    { agentLimits: { maxConcurrent: 1 } },
    b.at,
  );
  await story.prompt('Go');
  const [first, second] = of(story.events, 'task_changed')
    .map(({ task }) => task.id)
    .filter((id, at, all) => all.indexOf(id) === at);
  while (b.lines('log').length < 1) await Bun.sleep(5);
  story.session.send({ type: 'stop_task', taskId: String(second) });
  story.session.send({ type: 'stop_task', taskId: String(first) });
  await story.session.close();
  expect(told(b.lines('log')).map((one) => [one.hook_event_name, one.agent_id])).toEqual([
    ['SubagentStart', first],
    ['SubagentStop', first],
  ]);
});

test('a stop hook that hangs does not hold an interrupted agent for long', async () => {
  const b = bench();
  b.hooks({ SubagentStop: on('sleep 300') });
  const script = {
    lead: [job('One.', { run_in_background: true }), say('Ok.')],
    agents: { 'One.': [hang()] },
  };
  const story = await openStory(script, {}, b.at);
  await story.prompt('Go');
  // The hook itself would take longer than any test may.
  await story.session.close();
  expect(findOwned({ owner: story.session.id })).toEqual([]);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
