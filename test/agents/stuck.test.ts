import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import type { OutcomeKind } from '../../src/protocol/index.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, failWith, hang, say, sayNothing, type Turn, together } from '../../src/testing/index.ts';
import { testTool } from '../loop/support.ts';
import { nextEvent, openStory, type Story } from './support.ts';

const begins = together(say('I have begun.'), call('Glob', { pattern: '*' }));

/** A lead that waits for an agent with these answers, and goes on with whatever comes of it. */
async function delegating(turns: Turn[], options: SessionOptions = {}): Promise<Story> {
  return openStory(
    { lead: [call('Agent', { description: 'x', prompt: 'Work' }), say('I go on.')], agents: { Work: turns } },
    options,
  );
}

async function expectEnd(story: Story, outcome: OutcomeKind, said: string): Promise<void> {
  const [of] = await story.runs(1);
  expect(of).toMatchObject({ kind: 'completed', text: 'I go on.' });
  expect(story.toolData()[0]).toMatchObject({
    status: outcome === 'completed' ? 'completed' : 'failed',
    outcome,
    content: [{ type: 'text', text: said }],
  });
  await story.session.close();
}

test('G8 a model that falls silent: timed out, with what was said', async () => {
  const clock = manualClock();
  const story = await delegating([begins, hang(say('And then'))], {
    clock,
    agentLimits: { idleSeconds: 60 },
  });
  const asked = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  await letRun();
  clock.advance(60_000);
  await expectEnd(story, 'timed_out', 'And then');
  expect(story.results()[0]).toContain('no model or tool activity for 60 s');
});

test('G8 a tool that hangs: timed out, with what was said', async () => {
  const clock = manualClock();
  const hangs = testTool('Hang', {
    run: (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ content: [], isError: true, data: undefined })),
      ),
  });
  const story = await delegating([together(say('I call it.'), call('Hang', { text: '' }))], {
    ...{ clock, ownTools: [hangs] },
    agentLimits: { idleSeconds: 60 },
  });
  const started = nextEvent(story, (event) => event.type === 'tool_started' && event.toolName === 'Hang');
  story.session.send({ type: 'prompt', content: 'Go' });
  await started;
  clock.advance(60_000);
  await expectEnd(story, 'timed_out', 'I call it.');
});

test('G8 its time limit, though something is always heard of it', async () => {
  const clock = manualClock();
  const story = await delegating([begins, hang()], {
    clock,
    agentLimits: { timeoutSeconds: 30, idleSeconds: 0 },
  });
  const asked = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  clock.advance(30_000);
  await expectEnd(story, 'timed_out', 'I have begun.');
  expect(story.results()[0]).toContain('Stopped: it reached its time limit of 30 s.');
});

test('G8 a context that overflows: failed, with what was said, and the words of the provider', async () => {
  const overflow = failWith({ kind: 'context_overflow', message: 'prompt is too long' });
  const story = await delegating([begins, overflow, overflow, overflow, overflow], {
    settings: JSON.stringify({ autoCompactEnabled: false }),
  });
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'failed', 'I have begun.');
  expect(story.results()[0]).toContain('prompt is too long');
});

test('G8 an empty answer is not completed', async () => {
  const story = await delegating([begins, sayNothing()]);
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'failed', 'I have begun.');
  expect(story.results()[0]).toContain('The model gave an empty answer.');
});

test('G8 an answer that was cut off is truncated', async () => {
  const story = await delegating([begins, { ...say('The first half'), stopReason: 'max_tokens' }]);
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'truncated', 'The first half');
});

test('G8 its limit of turns', async () => {
  const story = await delegating([begins, begins], { agentLimits: { maxTurns: 2 } });
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'out_of_turns', 'I have begun.');
});

test('G8 its limit of tokens ends the agent, not its parent', async () => {
  const dear = { ...begins, usage: { input_tokens: 900_000, output_tokens: 10 } };
  const story = await delegating([dear, say('Never asked.')], { agentLimits: { maxTokens: 500_000 } });
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'out_of_budget', 'I have begun.');
});

test('G8 a model that fails for good: failed, with the reason', async () => {
  const story = await delegating([
    begins,
    failWith({ kind: 'invalid_request', message: 'no such thing', status: 400 }),
  ]);
  story.session.send({ type: 'prompt', content: 'Go' });
  await expectEnd(story, 'failed', 'I have begun.');
});

/** Lets everything run that waits for nothing but its turn. */
function letRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
