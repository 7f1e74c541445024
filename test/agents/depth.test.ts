import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, calls, hang, lastUserText, say, toolResultText } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { agentTasks, gate, nextEvent, openStory, quiet } from './support.ts';

const boss = { description: 'Starts others', prompt: 'You lead.', tools: ['Agent', 'Read'] };
const hire = (prompt: string, more = {}) =>
  call('Agent', { description: prompt, prompt, subagent_type: 'boss', ...more });

test('AG9 a tree of depth 3: each result goes to the one that asked for it, and the depth ends there', async () => {
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead has it.')],
      agents: {
        One: [hire('Two'), say('One has it.')],
        Two: [hire('Three'), say('Two has it.')],
        Three: [hire('Four'), say('Three could not go on.')],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 3 } },
  );
  const outcome = await story.prompt('Go');
  expect(outcome.text).toBe('The lead has it.');
  expect(toolResultText(story.requestsOf('One')[1] as ModelRequest)).toContain('Two has it.');
  expect(toolResultText(story.requestsOf('Two')[1] as ModelRequest)).toContain('Three could not go on.');
  expect(toolResultText(story.requestsOf('Three')[1] as ModelRequest)).toContain('nested 3 deep');
  expect(toolResultText(story.requestsOf('One')[1] as ModelRequest)).not.toContain('SendMessage');
  expect(agentTasks(story).map((task) => task.agent?.depth)).toEqual([1, 2, 3]);
  expect(agentTasks(story).map((task) => task.owner)).toEqual([
    null,
    ...agentTasks(story)
      .slice(0, 2)
      .map((task) => task.id),
  ]);
  await story.session.close();
});

test('NT1 NT5 the end of a background agent wakes the agent that started it, not the lead', async () => {
  const below = gate();
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead has it.')],
      agents: {
        One: [hire('Two', { run_in_background: true }), say('I started it.'), say('And it came back.')],
        Two: [() => below.opened.then(() => say('Two is done.'))],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2 } },
  );
  const asked = nextEvent(
    story,
    (event) => event.type === 'task_changed' && event.task.description === 'Two',
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  below.open();
  await story.runs(1);
  expect(lastUserText(story.requestsOf('One')[2] as ModelRequest)).toContain('<result>Two is done.</result>');
  expect(story.results()[0]).toContain('And it came back.');
  expect(story.leadRequests()).toHaveLength(2);
  await story.session.close();
});

test('G8 of agents that wait for each other only the one that is stuck is ended, and the others go on', async () => {
  const clock = manualClock();
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead goes on.')],
      agents: {
        One: [hire('Two'), say('One has it.')],
        Two: [hire('Three'), say('Two has it.')],
        Three: [hang()],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 3, idleSeconds: 60, autoBackground: 0 }, clock },
  );
  const asked = nextEvent(
    story,
    (event) => event.type === 'run_started' && event.agentId !== null && agentTasks(story).length === 3,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  clock.advance(60_000);
  await story.runs(1);
  const ends = story.events.flatMap((event) =>
    event.type === 'task_changed' && event.end ? [event.end.outcome] : [],
  );
  expect(ends).toEqual(['timed_out', 'completed', 'completed']);
  await story.session.close();
});

test('G8 one that waits for a background agent of its own is not idle', async () => {
  const clock = manualClock();
  const below = gate();
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead has it.')],
      agents: {
        One: [hire('Two', { run_in_background: true }), say('I wait.'), say('It came.')],
        Two: [call('Read', { file_path: '/x' }), () => below.opened.then(() => say('Two.'))],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2, idleSeconds: 60, autoBackground: 0 }, clock },
  );
  const said = nextEvent(
    story,
    (event) => event.type === 'message_added' && JSON.stringify(event.record).includes('I wait.'),
  );
  const read = nextEvent(story, (event) => event.type === 'tool_ended' || event.type === 'permission_denied');
  story.session.send({ type: 'prompt', content: 'Go' });
  await Promise.all([said, read]);
  clock.advance(50_000);
  below.open();
  await story.runs(1);
  expect(story.results()[0]).toContain('It came.');
  await story.session.close();
});

test('CX2 the end of an agent ends the background agents that it started, and it finds that when it goes on', async () => {
  const story = await openStory(
    {
      lead: [
        hire('One', { name: 'one' }),
        call('SendMessage', { to: 'one', message: 'What became of it?' }),
        say('Asked.'),
        say('I see.'),
      ],
      agents: {
        One: [
          hire('Two', { run_in_background: true }),
          { ...say('Cut off'), stopReason: 'max_tokens' },
          say('It was stopped with me.'),
        ],
        Two: [hang(say('Two has begun'))],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2 } },
  );
  await story.prompt('Go');
  await quiet(story);
  const last = story.requestsOf('One').at(-1) as ModelRequest;
  const text = lastUserText(last);
  expect(text.match(/<task-notification>/g)).toHaveLength(1);
  expect(text).toContain('<status>killed</status>');
  expect(text).toContain('What became of it?');
  await story.session.close();
});

test('EX4 agents.maxConcurrent holds at every depth, and nobody waits for a place that waits for them', async () => {
  const leaves = ['A', 'B', 'C', 'D'];
  let now = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++now);
    // The first stays until another has begun.
    await until(() => most >= 2);
    now--;
    return say('done');
  };
  const team = (prompts: string[]) => calls(prompts.map((prompt) => hire(prompt)));
  const story = await openStory(
    {
      lead: [team(['Left', 'Right']), say('The lead has it.')],
      agents: {
        Left: [team(leaves.map((leaf) => `Left ${leaf}`)), say('Left has it.')],
        Right: [team(leaves.map((leaf) => `Right ${leaf}`)), say('Right has it.')],
        ...Object.fromEntries(
          ['Left', 'Right'].flatMap((side) => leaves.map((leaf) => [`${side} ${leaf}`, [work]])),
        ),
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2, maxConcurrent: 2 } },
  );
  expect((await story.prompt('Go')).text).toBe('The lead has it.');
  expect(most).toBe(2);
  await story.session.close();
});

test('EX4 with one place an agent still hears of its background agents', async () => {
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead has it.')],
      agents: {
        One: [hire('Two', { run_in_background: true }), say('Started.'), say('Two is back.')],
        Two: [say('Two is done.')],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2, maxConcurrent: 1 } },
  );
  await story.prompt('Go');
  expect(story.results()[0]).toContain('Two is back.');
  await story.session.close();
});

test('AG8 the tokens of an agent are added to those of whoever started it, once', async () => {
  const story = await openStory(
    {
      lead: [hire('One'), say('The lead has it.')],
      agents: {
        One: [
          { ...hire('Two'), usage: { input_tokens: 10, output_tokens: 1 } },
          { ...say('Two is back.'), usage: { input_tokens: 20, output_tokens: 2 } },
        ],
        Two: [{ ...say('Two is done.'), usage: { input_tokens: 1000, output_tokens: 500 } }],
      },
    },
    { agents: { boss }, agentLimits: { maxDepth: 2 } },
  );
  await story.prompt('Go');
  expect(story.toolData()[0]).toMatchObject({ totalTokens: 10 + 1 + (20 + 2) + 1500 });
  await story.session.close();
});
