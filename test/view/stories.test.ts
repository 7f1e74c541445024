import { expect, test } from 'bun:test';
import { call, calls, hang, say, type Turn, think, together } from '../../src/testing/index.ts';
import { agentRows, agentTree, emptyView, reduceAll, taskList } from '../../src/view/index.ts';
import { gate, nextEvent, openStory, quiet } from '../agents/support.ts';
import { told, watch } from './support.ts';

const agents = {
  scout: { description: 'x', prompt: 'You look.' },
  smith: { description: 'x', prompt: 'You make.' },
  boss: { description: 'x', prompt: 'You lead.', tools: ['Agent'] },
};
const openLead = (lead: Turn[], options = {}) => openStory({ lead, agents: {} }, options);
const hire = (subagent_type: string, prompt: string, more = {}) =>
  call('Agent', { description: prompt, prompt, subagent_type, ...more });

test('a turn: thoughts, words, calls in their order, the answer, the end', async () => {
  const opened = await openLead(
    [
      together(
        think('Hm.'),
        say('I look.'),
        call('Glob', { pattern: '*' }),
        call('Bash', { command: 'exit 3' }),
      ),
      say('Nothing there.'),
    ],
    { permissionMode: 'bypassPermissions', allowBypass: true },
  );
  await opened.prompt('What is there?');
  await opened.session.close();
  const view = watch(opened.events);
  expect(told(view.lead)).toEqual([
    'person: What is there?',
    'thinks: Hm.',
    'says: I look.',
    'Glob * done',
    'Bash exit 3 failed',
    'says: Nothing there.',
    'end: completed',
  ]);
  expect(view.lead.live).toMatchObject({ turn: 0, blocks: [], calls: [], wait: null });
  expect(view.session).toMatchObject({ state: 'idle', runStartedAt: null, mode: 'bypassPermissions' });
  expect(view.session.context.used).toBeGreaterThan(0);
});

test('what streams in is live, and the entry that takes its place says which it was', async () => {
  const opened = await openLead([say('A fairly long answer that comes in several pieces.')]);
  await opened.prompt('Speak');
  await opened.session.close();
  const last = opened.events.findLastIndex((event) => event.type === 'model_streamed');
  const before = watch(opened.events.slice(0, last));
  const [block] = before.lead.live.blocks;
  expect(block).toMatchObject({ kind: 'text', text: 'A fairly long answer that comes in several pieces.' });
  const after = watch(opened.events.slice(last), before);
  expect(after.lead.entries.find(({ kind }) => kind === 'text')).toMatchObject({ liveId: block?.id });
});

test('an edit has its diff, a new file its lines', async () => {
  const opened = await openLead(
    [
      call('Write', { file_path: 'a.txt', content: 'one\ntwo\n' }),
      call('Edit', { file_path: 'a.txt', old_string: 'two', new_string: '2' }),
      say('Done.'),
    ],
    { permissionMode: 'acceptEdits' },
  );
  await opened.prompt('Write');
  await opened.session.close();
  const diffs = watch(opened.events).lead.entries.flatMap((entry) =>
    entry.kind === 'call' ? [entry.call.diff] : [],
  );
  expect(diffs).toMatchObject([
    { path: 'a.txt', isNew: true, added: 2, removed: 0, hunks: [{ lines: ['+one', '+two'] }] },
    {
      path: 'a.txt',
      isNew: false,
      added: 1,
      removed: 1,
      hunks: [{ oldStart: 1, lines: [' one', '-two', '+2'] }],
    },
  ]);
});

test('UI1 two agents of one answer: rows under their calls while they work, one entry when both have ended', async () => {
  const hold = gate();
  const story = await openStory(
    {
      lead: [calls([hire('scout', 'Look left'), hire('smith', 'Look right')]), say('Both looked.')],
      agents: {
        'Look left': [call('Glob', { pattern: '*' }), () => hold.opened.then(() => say('Left.'))],
        'Look right': [call('Glob', { pattern: 'x' }), say('Right.')],
      },
    },
    { agents, streamAgents: true },
  );
  const oneEnded = nextEvent(story, (event) => event.type === 'task_changed' && event.end !== undefined);
  story.session.send({ type: 'prompt', content: 'Look' });
  await oneEnded;
  const during = watch(story.events);
  const [left, right] = during.lead.live.calls;
  expect(during.lead.live.calls.map(({ state }) => state)).toEqual(['running', 'running']);
  expect(agentRows(during, left?.id ?? '')).toMatchObject([
    { type: 'scout', description: 'Look left', state: 'running' },
  ]);
  expect(agentRows(during, right?.id ?? '')).toMatchObject([
    { type: 'smith', state: 'completed', toolUses: 1, activity: 'Glob x' },
  ]);
  const colours = [...during.agents.values()].map(({ colour }) => colour);
  expect(new Set(colours).size).toBe(2);
  hold.open();
  await story.runs(1);
  await story.session.close();
  const view = watch(story.events);
  expect(told(view.lead)).toEqual([
    'person: Look',
    'agents: Agent scout Look left done [scout completed, 1 tools] + Agent smith Look right done [smith completed, 1 tools]',
    'says: Both looked.',
    'end: completed',
  ]);
  for (const agent of view.agents.values())
    expect(told(agent.conversation)).toEqual([
      `parent: ${agent.description}`,
      `Glob ${agent.type === 'scout' ? '*' : 'x'} done`,
      `says: ${agent.type === 'scout' ? 'Left.' : 'Right.'}`,
      'end: completed',
    ]);
});

test('UI4 every agent has its own bill, and together they are the total', async () => {
  const story = await openStory(
    { lead: [hire('scout', 'Look'), say('Ok.')], agents: { Look: [say('Seen.')] } },
    { agents },
  );
  await story.prompt('Go');
  const report = story.session.cost();
  await story.session.close();
  const { cost, agents: known } = watch(story.events);
  const parts = [null, ...known.keys()].map((id) => cost.byAgent.get(id));
  expect(parts.every((part) => (part?.requests ?? 0) > 0)).toBe(true);
  expect(parts.reduce((sum, part) => sum + (part?.usage.output_tokens ?? 0), 0)).toBe(
    cost.usage.output_tokens,
  );
  expect(cost.requests).toBe(report.rows.reduce((sum, row) => sum + row.requests, 0));
});

test('a background agent: its call is over at once, its end is one line', async () => {
  const hold = gate();
  const story = await openStory(
    {
      lead: [hire('scout', 'Watch', { run_in_background: true }), say('Started.'), say('I heard.')],
      agents: { Watch: [() => hold.opened.then(() => say('It came.'))] },
    },
    { agents },
  );
  await story.prompt('Go');
  const during = watch(story.events);
  expect(taskList(during)).toMatchObject([{ kind: 'local_agent', state: 'running', description: 'Watch' }]);
  hold.open();
  await story.runs(2);
  await story.session.close();
  const view = watch(story.events);
  expect(told(view.lead)).toEqual([
    'person: Go',
    'agents: Agent scout Watch done [scout running, 0 tools]',
    'says: Started.',
    'end: completed',
    'told of end: Agent "Watch" completed',
    'says: I heard.',
    'end: completed',
  ]);
  const notification = view.lead.entries.find(({ kind }) => kind === 'notification');
  expect(notification).toMatchObject({ agent: { type: 'scout', state: 'completed' } });
});

test('UI3 a question of an agent waits with who asks, and is gone when it is answered', async () => {
  const story = await openStory(
    {
      lead: [hire('smith', 'Make it'), say('Ok.')],
      agents: { 'Make it': [call('Bash', { command: 'touch made' }), say('Made.')] },
    },
    { agents, interactive: true },
  );
  const asked = nextEvent(
    story,
    (event) => event.type === 'question_asked' && event.question.toolName === 'Bash',
  );
  story.session.approvals.subscribe((waiting) => {
    const first = waiting[0]?.question;
    // The question whether agents may edit comes first.
    if (first?.toolName === 'Agent')
      story.session.send({
        type: 'answer',
        questionId: first.id,
        answer: { behaviour: 'deny', message: 'no' },
      });
  });
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  const during = watch(story.events);
  expect(during.questions).toMatchObject([
    { kind: 'permission', count: 1, question: { asker: { type: 'smith', description: 'Make it' } } },
  ]);
  const [agent] = during.agents.values();
  expect(agent?.questions).toEqual([during.questions[0]?.question.id ?? '']);
  expect(agent?.conversation.live.calls).toMatchObject([{ toolName: 'Bash', state: 'asking' }]);
  const questionId = during.questions[0]?.question.id ?? '';
  story.session.send({ type: 'answer', questionId, answer: { behaviour: 'deny', message: 'Not now.' } });
  await story.runs(1);
  await story.session.close();
  const view = watch(story.events);
  expect(view.questions).toEqual([]);
  const [ended] = view.agents.values();
  expect(told(ended?.conversation ?? view.lead)).toContain('Bash touch made denied');
});

test('EX6 an interrupt: the answer so far, the call that was cut short, what stopped it; the background goes on', async () => {
  const story = await openStory(
    {
      lead: [
        calls([hire('scout', 'Stay', { run_in_background: true }), hire('smith', 'Wait')]),
        say('never said'),
      ],
      agents: { Stay: [hang()], Wait: [hang(say('Half'))] },
    },
    { agents, streamAgents: true },
  );
  const halfway = nextEvent(
    story,
    (event) =>
      event.type === 'model_streamed' && event.event.type === 'block_ended' && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await halfway;
  story.session.send({ type: 'interrupt' });
  await story.runs(1);
  const view = watch(story.events);
  expect(told(view.lead).at(-1)).toBe('end: interrupted (Interrupted by the user.)');
  expect(view.lead.live.calls).toEqual([]);
  expect([...view.agents.values()].map(({ type, state }) => [type, state])).toEqual([
    ['scout', 'running'],
    ['smith', 'killed'],
  ]);
  await story.session.close();
});

test('a compaction is one entry, and nothing before it is said again', async () => {
  const opened = await openLead([say('One.'), say('Two.'), say('Summary.'), say('Three.')]);
  await opened.prompt('First');
  await opened.prompt('Second');
  opened.session.send({ type: 'compact' });
  await opened.runs(3);
  await opened.prompt('Third');
  await opened.session.close();
  const view = watch(opened.events);
  const lines = told(view.lead).filter((line) => !line.startsWith('end'));
  expect(lines).toEqual([
    'person: First',
    'says: One.',
    'person: Second',
    'says: Two.',
    'compacted (manual)',
    'person: Third',
    'says: Three.',
  ]);
});

test('agents of agents stand below them, and the work of all is in one list', async () => {
  const story = await openStory(
    {
      lead: [hire('boss', 'Above'), say('Ok.')],
      agents: { Above: [hire('smith', 'Below'), say('Up.')], Below: [say('Down.')] },
    },
    { agents, agentLimits: { maxDepth: 2 } },
  );
  await story.prompt('Go');
  await quiet(story);
  await story.session.close();
  const view = watch(story.events);
  expect(agentTree(view)).toMatchObject([
    { agent: { type: 'boss' }, children: [{ agent: { type: 'smith' }, children: [] }] },
  ]);
  expect(
    taskList(view)
      .map(({ description }) => description)
      .sort(),
  ).toEqual(['Above', 'Below']);
});

test('a batch gives what one by one gives', async () => {
  const opened = await openLead([together(say('I look.'), call('Glob', { pattern: '*' })), say('Seen.')]);
  await opened.prompt('Look');
  await opened.session.close();
  expect(reduceAll(emptyView(), opened.events, 1_000)).toEqual(watch(opened.events));
});
