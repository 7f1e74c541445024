import { expect, test } from 'bun:test';
import { call, say } from '../../src/testing/index.ts';
import { crash, openStory, quiet } from './support.ts';

test('FK1 a fork that continues in a later process keeps the bytes that it was sent with', async () => {
  const forking = { agentLimits: { fork: true } } as const;
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'x', prompt: 'One side', name: 'side' }),
        say('Started.'),
        say('Heard.'),
      ],
      agents: { 'One side': [say('Found it.')] },
    },
    { ...forking, appendSystemPrompt: 'As it was on Monday.', thinking: { type: 'adaptive' } },
  );
  await story.prompt('Go');
  await quiet(story);
  const [first] = story.requestsOf('One side');
  const again = await crash(
    story,
    {
      lead: [call('SendMessage', { to: 'side', message: 'And then?' }), say('Sent.'), say('Heard again.')],
      agents: { 'One side': [say('That was all.')] },
    },
    {
      ...forking,
      appendSystemPrompt: 'As it is on Tuesday.',
      thinking: { type: 'off' },
      tools: ['Read', 'Agent', 'SendMessage'],
      agents: { newcomer: { description: 'A new type.', prompt: 'x' } },
    },
  );
  await again.prompt('Ask it.');
  await quiet(again);
  const [later] = again.requestsOf('One side');
  expect(again.leadRequests()[0]?.system.join('')).toContain('Tuesday');
  expect(later?.system).toEqual(first?.system as string[]);
  expect(later?.tools).toEqual(first?.tools ?? []);
  expect(later?.thinking).toEqual(first?.thinking ?? { type: 'off' });
  expect(later?.messages.slice(0, first?.messages.length)).toEqual([...(first?.messages ?? [])]);
  await again.session.close();
  await story.session.close();
});

test('FK1 a tool that is gone in the later process is still shown, and says so when it is called', async () => {
  const forking = { agentLimits: { fork: true } } as const;
  const story = await openStory(
    {
      lead: [
        call('Agent', { description: 'x', prompt: 'One side', name: 'side' }),
        say('Started.'),
        say('Heard.'),
      ],
      agents: { 'One side': [say('Found it.')] },
    },
    forking,
  );
  await story.prompt('Go');
  await quiet(story);
  const again = await crash(
    story,
    {
      lead: [call('SendMessage', { to: 'side', message: 'And then?' }), say('Sent.'), say('Heard again.')],
      agents: { 'One side': [call('Glob', { pattern: '*' }), say('No Glob.')] },
    },
    { ...forking, tools: ['Read', 'Agent', 'SendMessage'] },
  );
  await again.prompt('Ask it.');
  await quiet(again);
  const last = JSON.stringify(again.requestsOf('One side')[1]?.messages.at(-1));
  expect(last).toContain('Glob');
  expect(last).toContain('is_error');
  await again.session.close();
  await story.session.close();
});
