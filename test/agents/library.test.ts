import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { runAgent, runOnce } from '../../src/index.ts';
import type { Message } from '../../src/protocol/index.ts';
import { call, hang, lastUserText, say, scriptedModel } from '../../src/testing/index.ts';
import { place } from '../session/support.ts';
import { openStory } from './support.ts';

function options() {
  const { cwd, environment } = place();
  mkdirSync(cwd, { recursive: true });
  return { cwd, environment };
}

test('AG10 runOnce gives the text, the tokens of this run and the outcome, and prints nothing', async () => {
  const model = scriptedModel([call('Glob', { pattern: '*' }), say('Nothing there.')]);
  const result = await runOnce({ ...options(), prompt: 'What is here?', model, allowedTools: ['Glob'] });
  expect(result.text).toBe('Nothing there.');
  expect(result.outcome.kind).toBe('completed');
  expect(result.tokens.output).toBeGreaterThan(0);
});

test('AG10 an agent goes on by its id, and only the tokens of the new run are counted', async () => {
  const at = options();
  const first = await runOnce({ ...at, prompt: 'Remember 7', model: scriptedModel([say('I do.')]) });
  const model = scriptedModel([say('It was 7.')]);
  const second = await runOnce({ ...at, prompt: 'Which?', agentId: first.agentId, model });
  expect(second.agentId).toBe(first.agentId);
  expect(model.requests[0]?.messages).toHaveLength(3);
  expect(second.tokens.output).toBe(model.requests.length === 1 ? second.outcome.usage.output_tokens : -1);
});

test('AG10 forkMessages is what the agent begins with', async () => {
  const forkMessages: Message[] = [
    { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    {
      role: 'assistant',
      id: 'm',
      model: 'm',
      content: [{ type: 'text', text: 'Hi.' }],
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 1,
        output_tokens: 1,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
      },
    },
  ];
  const model = scriptedModel([say('Yes.')]);
  await runOnce({ ...options(), prompt: 'And now?', forkMessages, model });
  expect(model.requests[0]?.messages.slice(0, 2)).toEqual(forkMessages);
});

test('AG10 a signal ends the run with what there was', async () => {
  const controller = new AbortController();
  const model = scriptedModel([{ blocks: [{ type: 'text', text: 'I begin' }], hang: true }]);
  const running = runAgent({ ...options(), prompt: 'Go', model, signal: controller.signal });
  for (;;) {
    const step = await running.next();
    if (step.done) {
      expect(step.value.outcome.kind).toBe('interrupted');
      return;
    }
    if (step.value.type === 'model_streamed') controller.abort();
  }
});

test('AG10 a run lasts until the agent has heard of its background agents, and gives all that it said', async () => {
  const model = scriptedModel((request) => {
    if (request.asker?.agentId != null) return say('All quiet.');
    const text = lastUserText(request);
    if (text === 'Go') return call('Agent', { description: 'x', prompt: 'Look', run_in_background: true });
    return say(text.includes('<result>All quiet.') ? 'It is all quiet.' : 'I have started it.');
  });
  const result = await runOnce({ ...options(), prompt: 'Go', model });
  expect(result.text).toBe('I have started it.\n\nIt is all quiet.');
});

test('AG10 a signal also ends the background agents that a run waits for', async () => {
  const controller = new AbortController();
  const model = scriptedModel((request) => {
    if (request.asker?.agentId != null) return hang();
    if (lastUserText(request) === 'Go')
      return call('Agent', { description: 'x', prompt: 'Look', run_in_background: true });
    return say('I have started it.');
  });
  const running = runAgent({ ...options(), prompt: 'Go', model, signal: controller.signal });
  for (;;) {
    const step = await running.next();
    if (step.done) return expect(step.value.text).toBe('I have started it.');
    if (step.value.type === 'run_ended' && step.value.agentId === null) controller.abort();
  }
});

test('AG10 options that cannot be are a failed outcome, not an exception', async () => {
  const result = await runOnce({ ...options(), prompt: 'x', model: 'nobody/nothing' });
  expect(result.outcome.kind).toBe('failed');
  expect(result.outcome.reason).toContain('nobody');
});

test('TS7 a program starts tasks and gets handles; the lead hears of their ends', async () => {
  const story = await openStory({
    lead: [say('Noted.'), say('Noted again.')],
    agents: { 'Look around': [say('All quiet.')] },
  });
  const shell = await story.session.spawn({ kind: 'local_bash', command: 'echo out' });
  const agent = await story.session.spawn({ kind: 'local_agent', prompt: 'Look around', type: 'Explore' });
  if (!shell.ok || !agent.ok) throw new Error('not started');
  expect(shell.value.id).toStartWith('b');
  expect(agent.value.id).toStartWith('a');
  expect((await shell.value.result()).status).toBe('completed');
  expect(await agent.value.result()).toMatchObject({ status: 'completed', text: 'All quiet.' });
  await story.session.settled();
  await story.session.close();
});

test.each([
  [{ prompt: ' ' }, 'prompt'],
  [{ prompt: 'x', name: 'a b' }, 'name'],
  [{ prompt: 'x', type: 'Explore' }, 'Agent(Explore)'],
])('TS7 a program is told what is wrong with %j', async (request, word) => {
  const story = await openStory({ lead: [], agents: {} }, { disallowedTools: ['Agent(Explore)'] });
  const spawned = await story.session.spawn({ kind: 'local_agent', ...request });
  expect(spawned.ok ? '' : spawned.problem.message).toContain(word);
  await story.session.close();
});

test('AG5 --agent runs the session as that agent: prompt, tools and first words', async () => {
  const agents = {
    reviewer: {
      description: 'Reviews',
      prompt: 'You review.',
      tools: ['Read', 'Grep'],
      initialPrompt: 'Be strict.',
    },
  };
  const story = await openStory({ lead: [say('Fine.')], agents: {} }, { agents, agent: 'reviewer' });
  await story.prompt('Look at this');
  const [request] = story.leadRequests();
  expect(request?.system[0]).toBe('You review.');
  expect(request?.tools.map((tool) => tool.name)).toEqual(['Read', 'Grep']);
  expect(request?.messages[0]?.content).toEqual([
    { type: 'text', text: 'Be strict.' },
    { type: 'text', text: 'Look at this' },
  ]);
  await story.session.close();
});

test('G8 a misspelt agents setting is named: a limit that does not hold must be known', async () => {
  const story = await openStory({ lead: [say('Ok.')], agents: {} }, { settings: '{"agents":{"maxDeph":2}}' });
  await story.prompt('Go');
  expect(JSON.stringify(story.events.filter((event) => event.type === 'notice_given'))).toContain(
    'agents.maxDeph',
  );
  await story.session.close();
});
