import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import type { ModelRequest, TranscriptRecord } from '../../src/protocol/index.ts';
import { call, hang, lastUserText, say, together, toolResultText } from '../../src/testing/index.ts';
import { agentTasks, crash, nextEvent, notifications, openStory, quiet, type Story } from './support.ts';

const hire = (more = {}) =>
  call('Agent', { description: 'x', prompt: 'Work', name: 'helper', ...more }, 'toolu_hire');
const going = { lead: [say('I go on.'), say('And on.'), say('And on.')], agents: {} };

const endStored = (record: TranscriptRecord) => record.type === 'task-state' && record.end !== undefined;
const started = (record: TranscriptRecord) =>
  record.type === 'task-state' && record.task.status === 'running';

/** What the lead was told as the result of its call, in its newest request. */
function repaired(story: Story): string {
  const request = story.leadRequests().at(-1) as ModelRequest;
  const results = request.messages.flatMap(({ role, content }) =>
    role === 'user' ? content.filter((block) => block.type === 'tool_result') : [],
  );
  expect(results).toHaveLength(1);
  return JSON.stringify(results);
}

async function closeAll(...stories: Story[]): Promise<void> {
  for (const story of stories) await story.session.close();
}

test('SE1 G3 the stored result of an agent that was waited for reaches its call after a crash', async () => {
  const story = await openStory({
    lead: [hire(), say('Never said.')],
    agents: { Work: [say('The result.')] },
  });
  await story.prompt('Go');
  const again = await crash(story, going, { after: endStored });
  await again.prompt('Well?');
  expect(repaired(again)).toContain('The result.');
  expect(notifications(again.leadRequests())).toEqual([]);
  await closeAll(again, story);
});

test('SE1 G3 one that was waited for and cut off: its call says so, and it can be gone on with', async () => {
  const story = await openStory({
    lead: [hire()],
    agents: { Work: [together(say('Half of it.'), call('Glob', { pattern: '*' })), hang()] },
  });
  const second = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  story.session.send({ type: 'prompt', content: 'Go' });
  await second;
  const again = await crash(story, {
    lead: [call('SendMessage', { to: 'helper', message: 'Go on.' }), say('Sent.'), say('Good.')],
    agents: { Work: [say('All of it.')] },
  });
  await again.prompt('Well?');
  await quiet(again);
  expect(JSON.stringify(again.leadRequests()[0]?.messages)).toContain(
    'Interrupted: the session ended while the agent',
  );
  expect(notifications(again.leadRequests()).at(-1)).toContain('<result>All of it.</result>');
  await closeAll(again, story);
});

test('SE1 G3 the end of a background agent that nobody heard of is told once, after the next start', async () => {
  const story = await openStory({
    lead: [hire({ run_in_background: true }), say('Started.'), say('Never said.')],
    agents: { Work: [say('The result.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  const again = await crash(story, going, { after: endStored });
  await again.prompt('Well?');
  const told = notifications(again.leadRequests());
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('<result>The result.</result>');
  expect(told[0]).toContain('<status>completed</status>');
  const third = await crash(again, going);
  await third.prompt('And now?');
  expect(notifications(third.leadRequests())).toHaveLength(1);
  await closeAll(third, again, story);
});

test('SE1 G3 a background agent that was cut off is reported interrupted, with what it had said', async () => {
  const story = await openStory({
    lead: [hire({ run_in_background: true }), say('Started.')],
    agents: { Work: [together(say('Half of it.'), call('Glob', { pattern: '*' })), hang()] },
  });
  const second = nextEvent(
    story,
    (event) => event.type === 'turn_started' && event.turn === 2 && event.agentId !== null,
  );
  await story.prompt('Go');
  await second;
  const again = await crash(story, going);
  await again.prompt('Well?');
  const told = notifications(again.leadRequests());
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('<outcome>interrupted</outcome>');
  expect(told[0]).toContain('<result>Half of it.');
  expect(told[0]).toContain('SendMessage to a');
  await closeAll(again, story);
});

test('SE1 G3 a crash between the start of a background agent and the result of its call: told once, in one place', async () => {
  const story = await openStory({
    lead: [hire({ run_in_background: true }), say('Started.'), say('Never said.')],
    agents: { Work: [say('The result.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  const again = await crash(story, going, { after: started });
  await again.prompt('Well?');
  expect(repaired(again)).toContain('You will be notified separately how it ended.');
  expect(repaired(again)).not.toContain('The result.');
  expect(notifications(again.leadRequests())).toHaveLength(1);
  await closeAll(again, story);
});

test('SE1 a second run that was cut off does not hand over the first one again', async () => {
  const story = await openStory({
    lead: (request) => {
      const text = lastUserText(request);
      if (text === 'Go') return hire();
      return text === 'More' ? call('SendMessage', { to: 'helper', message: 'More.' }) : say('Ok.');
    },
    agents: { Work: [say('The first result.'), hang()] },
  });
  await story.prompt('Go');
  await story.prompt('More');
  const again = await crash(story, going);
  await again.prompt('Well?');
  const [told, ...others] = notifications(again.leadRequests());
  expect(others).toEqual([]);
  expect(told).toContain('<outcome>interrupted</outcome>');
  expect(told).not.toContain('The first result.');
  await closeAll(again, story);
});

test('SE1 G3 what became of the agents of an agent that was cut off is told to it, when it goes on', async () => {
  const boss = { description: 'Starts others', prompt: 'You lead.', tools: ['Agent', 'Read'] };
  const options = { agents: { boss }, agentLimits: { maxDepth: 2 } };
  const below = { description: 'y', prompt: 'Below', subagent_type: 'boss', run_in_background: true };
  const story = await openStory(
    {
      lead: [hire({ subagent_type: 'boss' })],
      agents: { Work: [call('Agent', below), hang()], Below: [say('Below is done.')] },
    },
    options,
  );
  const over = nextEvent(story, (event) => event.type === 'task_changed' && event.end !== undefined);
  story.session.send({ type: 'prompt', content: 'Go' });
  await over;
  const again = await crash(
    story,
    {
      lead: [
        call('SendMessage', { to: 'helper', message: 'Go on.' }),
        say('Sent.'),
        say('Good.'),
        say('Good.'),
      ],
      agents: { Work: [say('I know what became of it.')] },
    },
    options,
  );
  await again.prompt('Well?');
  await quiet(again);
  const told = notifications(again.requestsOf('Work'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('<result>Below is done.</result>');
  await closeAll(again, story);
});

test('TS3 a task that was put aside is found again with its newest run', async () => {
  const story = await openStory({
    lead: (request) => {
      const text = lastUserText(request);
      const many = /^Hire (\d+)$/.exec(text)?.[1];
      if (many) return call('Agent', { description: 'x', prompt: 'Work', name: `n${many}` });
      return say('Ok.');
    },
    agents: { Work: Array.from({ length: 60 }, () => say('Done.')) },
  });
  for (let index = 0; index < 60; index++) await story.prompt(`Hire ${index}`);
  expect(agentTasks(story).length).toBeLessThanOrEqual(51);
  const again = await crash(story, {
    lead: [call('TaskOutput', { task_id: 'n0' }), say('Ok.')],
    agents: {},
  });
  await again.prompt('The first?');
  expect(toolResultText(again.leadRequests().at(-1) as ModelRequest)).toContain('completed');
  await closeAll(again, story);
});

test('G4 an agent whose first message was not stored any more goes on with its task', async () => {
  const story = await openStory({ lead: [hire()], agents: { Work: [hang()] } });
  const asked = nextEvent(story, (event) => event.type === 'turn_started' && event.agentId !== null);
  story.session.send({ type: 'prompt', content: 'Go' });
  await asked;
  const id = agentTasks(story)[0]?.id ?? '';
  const path = story.agentTranscript(id);
  const whole = readFileSync(path, 'utf8');
  // Killed in the middle of its first message.
  writeFileSync(path, whole.slice(0, whole.indexOf('{"type":"user"') + 40));
  const again = await crash(story, {
    lead: [call('SendMessage', { to: 'helper', message: 'Go on.' }), say('Sent.'), say('Good.')],
    agents: { Work: [say('All of it.')] },
  });
  await again.prompt('Well?');
  await quiet(again);
  expect(JSON.stringify(again.requestsOf('Work').at(-1)?.messages)).toContain('Work');
  expect(notifications(again.leadRequests()).at(-1)).toContain('<result>All of it.</result>');
  await closeAll(again, story);
});
