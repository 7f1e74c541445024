import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { ModelRequest, Question } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { agentTasks, gate, nextEvent, openStory, quiet, type Story } from './support.ts';

const tenMinutes = 600_000;
const exits = call('ExitPlanMode', {});
/** Asked too early, the tool says where the plan belongs. */
const plans: Turn[] = [
  exits,
  (request: ModelRequest) => {
    const [file_path] = /\S+\.md/.exec(toolResultText(request)) ?? [];
    return call('Write', { file_path, content: 'First this, then that.' });
  },
  exits,
];
const options: SessionOptions = {
  attended: true,
  agents: {
    planner: { description: 'x', prompt: 'x', permissionMode: 'plan' },
    boss: { description: 'x', prompt: 'x', tools: ['Agent'] },
  },
  agentLimits: { maxDepth: 2 },
};
const hire = (more = {}) => call('Agent', { description: 'x', prompt: 'Plan it', ...more });

async function questionOf(story: Story): Promise<Question> {
  const event = await nextEvent(story, ({ type }) => type === 'question_asked');
  if (event.type !== 'question_asked') throw new Error('no question');
  return event.question;
}

test('PE3 PL3 the plan of a background agent says so, and is rejected when nobody answers in ten minutes', async () => {
  const clock = manualClock(Date.now());
  const story = await openStory(
    {
      lead: [hire({ subagent_type: 'planner', run_in_background: true }), say('Ok.'), say('Heard.')],
      agents: { 'Plan it': [...plans, say('Not approved.')] },
    },
    { ...options, clock },
  );
  const asked = questionOf(story);
  story.session.send({ type: 'prompt', content: 'Go' });
  const { toolName, asker, askedAt, expiresAt } = await asked;
  expect(toolName).toBe('ExitPlanMode');
  expect(asker).toMatchObject({ type: 'planner', background: true });
  expect(expiresAt).toBe(askedAt + tenMinutes);
  clock.advance(tenMinutes);
  await quiet(story);
  expect(JSON.stringify(story.requestsOf('Plan it').at(-1)?.messages.at(-1))).toContain('No answer within');
  await story.session.close();
});

test('PL3 the plan of an agent that is waited for stays until it is answered, however long that takes', async () => {
  const clock = manualClock(Date.now());
  const story = await openStory(
    {
      lead: [hire({ subagent_type: 'planner' }), say('Ok.')],
      agents: { 'Plan it': [...plans, say('Done.')] },
    },
    options,
  );
  const asked = questionOf(story);
  story.session.send({ type: 'prompt', content: 'Go' });
  const { id, asker, expiresAt } = await asked;
  expect([asker.background, expiresAt]).toEqual([undefined, null]);
  clock.advance(10 * tenMinutes);
  story.session.send({ type: 'answer', questionId: id, answer: { behaviour: 'allow' } });
  await story.runs(1);
  expect(story.results()[0]).toContain('Done.');
  await story.session.close();
});

const writes: Turn = call('Write', { file_path: 'made.txt', content: 'made' });

test('PE3 an agent that was moved to the background asks as one there', async () => {
  const step = gate();
  const story = await openStory(
    {
      lead: [hire({ subagent_type: 'general-purpose' }), say('Ok.'), say('Heard.')],
      agents: { 'Plan it': [() => step.opened.then(() => writes), say('Done.')] },
    },
    options,
  );
  const began = nextEvent(story, (event) => event.type === 'turn_started' && event.agentId !== null);
  const asked = questionOf(story);
  story.session.send({ type: 'prompt', content: 'Go' });
  await began;
  story.session.send({ type: 'background_tasks' });
  step.open();
  const { asker, askedAt, expiresAt } = await asked;
  expect([asker.background, expiresAt]).toEqual([true, askedAt + tenMinutes]);
  await story.session.close();
});

test('PE3 an agent that one in the background waits for asks as one in the background', async () => {
  const step = gate();
  const boss = call('Agent', { description: 'x', prompt: 'Plan it', subagent_type: 'boss' }, 'toolu_boss');
  const below = call('Agent', { description: 'y', prompt: 'Write it', subagent_type: 'general-purpose' });
  const story = await openStory(
    {
      lead: [boss, say('Ok.'), say('Heard.')],
      agents: {
        'Plan it': [below, say('Done.')],
        'Write it': [() => step.opened.then(() => writes), say('Tried.')],
      },
    },
    options,
  );
  const began = nextEvent(story, (event) => event.type === 'run_started' && agentTasks(story).length === 2);
  const asked = questionOf(story);
  story.session.send({ type: 'prompt', content: 'Go' });
  await began;
  story.session.send({ type: 'background_tasks', toolUseId: 'toolu_boss' });
  expect(agentTasks(story).map((task) => task.isBackgrounded)).toEqual([true, false]);
  step.open();
  expect((await asked).asker).toMatchObject({ description: 'y', background: true });
  await story.session.close();
});
