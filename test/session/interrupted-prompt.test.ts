import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { call, hang, say } from '../../src/testing/index.ts';
import { crash, gate, openStory, prepared, type Script } from '../agents/support.ts';
import { until } from '../support/index.ts';

function textsOf(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  );
}

function workFor(work: { opened: Promise<void> }): Script {
  return {
    lead: [
      call('Agent', { description: 'x', prompt: 'Work', run_in_background: true }),
      say('Started.'),
      hang(say('I delete the old')),
      say('I heard.'),
    ],
    agents: {
      Work: [
        async () => {
          await work.opened;
          return say('Finished.');
        },
      ],
    },
  };
}

test('EX6 a lead that the user stopped knows it when the end of a worker wakes it', async () => {
  const work = gate();
  const story = await openStory(workFor(work));
  await story.prompt('Start a worker.');
  await prepared('Work');
  story.session.send({ type: 'prompt', content: 'Delete everything old.' });
  await until(() => story.leadRequests().length === 3);
  story.session.send({ type: 'interrupt' });
  expect((await story.runs(2)).at(-1)?.kind).toBe('interrupted');
  work.open();
  await story.runs(3);
  const texts = textsOf(story.leadRequests().at(-1));
  const asked = texts.indexOf('Delete everything old.');
  const stopped = texts.findIndex((text) => text.includes('The user interrupted'));
  const told = texts.findIndex((text) => text.includes('<task-notification>'));
  expect([asked < stopped, stopped < told]).toEqual([true, true]);
  expect(texts[stopped]).toContain('Do not continue');
  await story.session.close();
});

test('EX6 it still knows after the session was killed and resumed', async () => {
  const work = gate();
  const story = await openStory(workFor(work));
  await story.prompt('Start a worker.');
  await prepared('Work');
  story.session.send({ type: 'prompt', content: 'Delete everything old.' });
  await until(() => story.leadRequests().length === 3);
  story.session.send({ type: 'interrupt' });
  await story.runs(2);
  const again = await crash(story, { lead: [say('I see.')], agents: {} });
  await again.prompt('What is new?');
  expect(textsOf(again.leadRequests()[0]).join('\n')).toContain('The user interrupted');
  work.open();
  await again.session.close();
  await story.session.close();
});

test('a run that completed leaves no such note', async () => {
  const story = await openStory({ lead: [say('One.'), say('Two.')], agents: {} });
  await story.prompt('First');
  await story.prompt('Second');
  expect(textsOf(story.leadRequests()[1])).toEqual(['First', 'Second']);
  await story.session.close();
});
