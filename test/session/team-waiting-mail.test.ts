import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { unclaimedSender } from '../../src/team/mail/senders.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { say } from '../../src/testing/index.ts';
import { openStory, quiet, type Story } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { create, heard, leadThat, start, states, write } from './team-support.ts';

test('TM9 TM16 mail of another process resumes a teammate that has ended', async () => {
  const story = await openEnded();
  post(story, 'user', 'There is one more.');
  await until(() => states(story).alice === 'idle');
  await quiet(story);
  expect(heard(story.requestsOf('Work'))).toContain('There is one more.');
  expect(heard(story.leadRequests())).toContain('Did one more.');
  await story.session.close();
});

test('TM12 a word of thanks from another process resumes nobody', async () => {
  const story = await openEnded();
  post(story, 'program:build', 'Thanks!');
  post(story, 'program:build', 'Look at the build, please.');
  await until(() => states(story).alice === 'idle');
  await quiet(story);
  expect(story.requestsOf('Work')).toHaveLength(2);
  expect(heard(story.requestsOf('Work'))).toMatch(/Thanks!.*[\s\S]*Look at the build, please./);
  await story.session.close();
});

test('TM9 a teammate that the user stopped is resumed by the user alone', async () => {
  const story = await openStory({
    lead: leadThat({ Go: [create, start('alice', 'Work')] }),
    agents: { Work: [say('Done.'), say('Did one more.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  const [task] = story.session.tasks();
  story.session.send({ type: 'stop_task', taskId: task?.id ?? '' });
  await until(() => states(story).alice === 'ended');
  post(story, 'program:build', 'Look at the build, please.');
  post(story, 'user', 'And go on.');
  await until(() => states(story).alice === 'idle');
  await quiet(story);
  expect(story.requestsOf('Work')).toHaveLength(2);
  await story.session.close();
});

/** A team whose only teammate was asked to shut down, and did. */
async function openEnded(): Promise<Story> {
  const story = await openStory({
    lead: leadThat({
      Go: [create, start('alice', 'Work')],
      Stop: [write('alice', { type: 'shutdown_request' })],
    }),
    agents: { Work: [say('Done.'), say('Did one more.')] },
  });
  await story.prompt('Go');
  await quiet(story);
  await story.prompt('Stop');
  await until(() => states(story).alice === 'ended');
  await quiet(story);
  return story;
}

function post({ at }: Story, from: string, text: string): void {
  const opened = openPost(locateTeam(at.home, 'crew'), { machine: systemMachine, clock: systemClock });
  if (!opened.ok) throw new Error(opened.problem.message);
  const sender = unclaimedSender(from, systemClock);
  expect(opened.value.sendNow({ to: 'alice', kind: 'text', text }, sender).ok).toBe(true);
}
