import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, calls, hang, lastUserText, say } from '../../src/testing/index.ts';
import { agentTasks, crash, ended, gate, nextEvent, openStory, type Story } from './support.ts';

const definitions = {
  plain: { description: 'x', prompt: 'You are plain.' },
  eager: { description: 'x', prompt: 'You are eager.', background: true },
};

/** EX1: what the call says, what the definition says, and the two switches. */
test.each<[boolean | undefined, 'plain' | 'eager', SessionOptions['agentLimits'], boolean]>([
  [undefined, 'plain', {}, false],
  [false, 'plain', {}, false],
  [true, 'plain', {}, true],
  [undefined, 'eager', {}, true],
  [false, 'eager', {}, true],
  [undefined, 'plain', { fork: true }, true],
  [false, 'plain', { fork: true }, true],
  [true, 'plain', { background: false }, false],
  [undefined, 'eager', { background: false }, false],
  [undefined, 'plain', { fork: true, background: false }, false],
])(
  'EX1 asked: %j, type %s, settings %j: in the background: %j',
  async (asked, type, agentLimits, isBackground) => {
    const input = { description: 'x', prompt: 'Work', subagent_type: type };
    const story = await openStory(
      {
        lead: [
          call('Agent', { ...input, ...(asked === undefined ? {} : { run_in_background: asked }) }),
          say('Ok.'),
          say('Heard.'),
        ],
        agents: { Work: [say('Worked.')] },
      },
      { agents: definitions, ...(agentLimits ? { agentLimits } : {}) },
    );
    await story.prompt('Go');
    expect(story.toolData()[0]).toMatchObject({ status: isBackground ? 'async_launched' : 'completed' });
    await story.session.close();
  },
);

/** A lead that waits for an agent, which waits for the test. */
async function waiting(agent: ReturnType<typeof gate>, options: SessionOptions) {
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'Long work', prompt: 'Take long' }, 'toolu_long'),
        say('It goes on.'),
        say('It came.'),
      ],
      agents: {
        'Take long': [call('Glob', { pattern: '*' }), () => agent.opened.then(() => say('At last.'))],
      },
    },
    options,
  );
  const read = nextEvent(story, (event) => event.type === 'tool_ended' && event.toolName === 'Glob');
  story.session.send({ type: 'prompt', content: 'Go' });
  await read;
  return story;
}

async function expectMoved(story: Story, agent: ReturnType<typeof gate>) {
  await story.runs(1);
  expect(story.toolData()[0]).toMatchObject({ status: 'async_launched' });
  expect(agentTasks(story)[0]).toMatchObject({ status: 'running', isBackgrounded: true });
  agent.open();
  await story.runs(2);
  const notification = lastUserText(story.leadRequests().at(-1) as ModelRequest);
  expect(notification).toContain('<result>At last.</result>');
  expect(notification.match(/<task-notification>/g)).toHaveLength(1);
  // Nothing was repeated: one tool call, two requests, each once.
  expect(story.requestsOf('Take long')).toHaveLength(2);
  expect(story.leadRequests()).toHaveLength(3);
  await story.session.close();
}

test('EX3 an agent that works for 120 s goes to the background by itself, and nothing is lost or repeated', async () => {
  const clock = manualClock();
  const agent = gate();
  const story = await waiting(agent, { clock });
  clock.advance(119_999);
  expect(agentTasks(story)[0]?.isBackgrounded).toBe(false);
  clock.advance(1);
  await expectMoved(story, agent);
});

test('EX3 with agents.autoBackground 0 a call waits as long as it takes', async () => {
  const clock = manualClock();
  const agent = gate();
  const story = await waiting(agent, { clock, agentLimits: { autoBackground: 0, idleSeconds: 0 } });
  clock.advance(10_000_000);
  expect(agentTasks(story)[0]?.isBackgrounded).toBe(false);
  agent.open();
  await story.runs(1);
  expect(story.toolData()[0]).toMatchObject({ status: 'completed' });
  await story.session.close();
});

test('EX3 the user moves an agent to the background by a command', async () => {
  const agent = gate();
  const story = await waiting(agent, {});
  expect(story.session.send({ type: 'background_tasks', toolUseId: 'toolu_other' }).ok).toBe(false);
  expect(story.session.send({ type: 'background_tasks', toolUseId: 'toolu_long' }).ok).toBe(true);
  expect(story.session.send({ type: 'background_tasks' }).ok).toBe(false);
  await expectMoved(story, agent);
});

test('EX3 an agent that was moved keeps its tools', async () => {
  const agent = gate();
  const story = await waiting(agent, {});
  story.session.send({ type: 'background_tasks' });
  await expectMoved(story, agent);
  const [first, second] = story.requestsOf('Take long');
  expect(second?.tools).toEqual(first?.tools as ModelRequest['tools']);
});

test('EX4 above agents.maxConcurrent agents wait their turn, in order', async () => {
  const gates = [gate(), gate(), gate()];
  const names = ['One', 'Two', 'Three'];
  const story = await openStory(
    {
      lead: [
        calls(names.map((prompt) => call('Agent', { description: prompt, prompt, run_in_background: true }))),
        say('All started.'),
        ...names.map(() => say('Heard.')),
      ],
      agents: Object.fromEntries(
        names.map((name, index) => [
          name,
          [() => (gates[index] as ReturnType<typeof gate>).opened.then(() => say(name))],
        ]),
      ),
    },
    { agentLimits: { maxConcurrent: 1 } },
  );
  await story.prompt('Go');
  const states = () => agentTasks(story).map((task) => task.status);
  expect(states()).toEqual(['running', 'pending', 'pending']);
  for (const [index, one] of gates.entries()) {
    const over = ended(story);
    one.open();
    await over;
    expect(states()[index]).toBe('completed');
    expect(states()[index + 1] ?? 'running').toBe('running');
  }
  await story.session.close();
});

test('EX6 an interrupt ends the agents that are waited for and leaves those in the background', async () => {
  const story = await openStory({
    lead: [
      calls([
        call('Agent', { description: 'aside', prompt: 'Aside', run_in_background: true }),
        call('Agent', { description: 'waited', prompt: 'Waited for' }),
      ]),
    ],
    agents: { Aside: [hang()], 'Waited for': [hang(say('Half of it'))] },
  });
  const streamed = nextEvent(
    story,
    (event) => event.type === 'task_changed' && event.task.description === 'waited',
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await streamed;
  const over = ended(story);
  story.session.send({ type: 'interrupt' });
  await over;
  const [outcome] = await story.runs(1);
  expect(outcome?.kind).toBe('interrupted');
  expect(agentTasks(story).map((task) => [task.description, task.status])).toEqual([
    ['aside', 'running'],
    ['waited', 'killed'],
  ]);
  await story.session.close();
  expect(agentTasks(story).map((task) => task.status)).toEqual(['killed', 'killed']);
});

test('G8 agents.maxTotal bounds the agents of a session', async () => {
  const hire = (prompt: string) => call('Agent', { description: 'x', prompt });
  const story = await openStory(
    { lead: [hire('A'), hire('B'), say('Ok.')], agents: { A: [say('a')] } },
    { agentLimits: { maxTotal: 1 } },
  );
  await story.prompt('Go');
  expect(story.results()[1]).toContain('agents.maxTotal');
  await story.session.close();
});

test('G8 agents.maxTotal counts the agents from before a restart, and those that a program starts', async () => {
  const hire = call('Agent', { description: 'x', prompt: 'A' });
  const limits = { agentLimits: { maxTotal: 1 } };
  const story = await openStory({ lead: [hire, say('Ok.')], agents: { A: [say('a')] } }, limits);
  await story.prompt('Go');
  const again = await crash(story, { lead: [hire, say('Ok.')], agents: {} }, limits);
  await again.prompt('Go');
  expect(again.results()[0]).toContain('agents.maxTotal');
  const spawned = await again.session.spawn({ kind: 'local_agent', prompt: 'A' });
  expect(spawned.ok ? '' : spawned.problem.message).toContain('agents.maxTotal');
  await again.session.close();
  await story.session.close();
});

test('G8 a fan-out is weighed once: agents of one message that have begun are not counted twice', async () => {
  const names = ['One', 'Two', 'Three'];
  const script = () => ({
    lead: [calls(names.map((prompt) => call('Agent', { description: prompt, prompt }))), say('Ok.')],
    agents: Object.fromEntries(names.map((name) => [name, [say(name)]])),
  });
  const enough = await openStory(script(), { agentLimits: { askAboveAgents: 3 } });
  await enough.prompt('Go');
  expect(agentTasks(enough)).toHaveLength(3);
  await enough.session.close();
  const tooMany = await openStory(script(), { agentLimits: { askAboveAgents: 2 } });
  await tooMany.prompt('Go');
  expect(agentTasks(tooMany)).toEqual([]);
  expect(tooMany.results()[0]).toContain('it would start 3 agents');
  await tooMany.session.close();
});
