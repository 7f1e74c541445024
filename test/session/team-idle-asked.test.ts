import { expect, test } from 'bun:test';
import { say } from '../../src/testing/index.ts';
import { gate, openStory, quiet } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { create, heard, kinds, leadThat, start, states, write } from './team-support.ts';

test('TM17 a teammate that asked to hear when another one is idle is woken by the notice', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat({ Go: [create, start('bob', 'Work'), start('alice', 'Ask')] }),
    agents: {
      Work: [() => step.opened.then(() => say('Done.')), say('Nothing new.')],
      Ask: [
        write('bob', 'Tell me when you are done.', { notify_when_idle: true }),
        say('I wait.'),
        say('Good.'),
      ],
    },
  });
  await story.prompt('Go');
  await until(() => states(story).alice === 'idle');
  step.open();
  await until(() => heard(story.requestsOf('Ask')).includes('bob is idle'));
  await quiet(story);
  expect(kinds(story).filter((kind) => kind === 'bob idle alice')).toHaveLength(1);
  await story.session.close();
});

test('TM12 TM17 an idle notice wakes the leader only if it asked for it', async () => {
  const story = await openStory({
    lead: leadThat({
      Go: [create, start('bob', 'Work')],
      Ask: [write('bob', 'Tell me when you are done.', { notify_when_idle: true })],
    }),
    agents: { Work: [say('Done.'), say('Still done.')] },
  });
  await story.prompt('Go');
  await until(() => kinds(story).includes('bob idle team-lead'));
  await quiet(story);
  expect(heard(story.leadRequests())).not.toContain('bob is idle');
  await story.prompt('Ask');
  await until(() => kinds(story).filter((kind) => kind === 'bob idle team-lead').length === 2);
  await quiet(story);
  const notices = heard(story.leadRequests()).match(/bob is idle/g);
  expect(notices).toHaveLength(2);
  await story.session.close();
});
