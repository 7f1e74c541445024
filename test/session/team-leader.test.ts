import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { ModelRequest } from '../../src/protocol/index.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { unclaimedSender } from '../../src/team/mail/senders.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, say } from '../../src/testing/index.ts';
import { gate, openStory, quiet } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { need } from '../team/board-support.ts';
import { create, kinds, leadThat, mailOf, start, states, write } from './team-support.ts';

function listBox(home: string, state: string): string[] {
  return readdirSync(join(home, 'teams/crew/mail/team-lead', state));
}

test('TM15 the leader is shown as what it is: working in a run, idle after it, waiting for an answer', async () => {
  const asked = gate();
  const story = await openStory({
    lead: leadThat({
      Go: [create, start('alice', 'Work')],
      Ask: [write('alice', 'Which port?')],
    }),
    agents: { Work: [say('Ready.'), () => asked.opened.then(() => say('80.'))] },
  });
  await story.prompt('Go');
  const [first] = story.events.flatMap((event) => (event.type === 'team_changed' ? [event.team] : []));
  expect(first?.members[0]).toMatchObject({ name: 'team-lead', state: 'working' });
  await quiet(story);
  expect(states(story)['team-lead']).toBe('idle');
  await story.prompt('Ask');
  await until(() => states(story)['team-lead'] === 'waiting');
  expect(story.session.team()?.members[0]?.reason).toBe('waits for an answer of alice');
  asked.open();
  await story.session.close();
});

test('TM15 a leader that is resumed and has no prompt yet is idle', async () => {
  const story = await openStory({ lead: leadThat({ Go: [create] }), agents: {} });
  await story.prompt('Go');
  await story.session.close();
  const again = await openStory(
    { lead: [], agents: {} },
    { resume: { from: 'id', id: story.session.id } },
    story.at,
  );
  await until(() => states(again)['team-lead'] !== undefined);
  expect(states(again)['team-lead']).toBe('idle');
  await again.session.close();
});

test('TM12 idle notices to the leader are not unread mail, and are read when its session is closed', async () => {
  const story = await openStory({
    lead: leadThat({ Go: [create, start('alice', 'Work')] }),
    agents: { Work: [say('Done.')] },
  });
  await story.prompt('Go');
  await until(() => kinds(story).includes('alice idle team-lead'));
  await quiet(story);
  expect(story.session.team()?.members[0]?.unread).toBe(0);
  expect(listBox(story.at.home, 'new')).toEqual([]);
  await story.session.close();
  expect(listBox(story.at.home, 'delivered')).toEqual([]);
  expect(listBox(story.at.home, 'read')).toHaveLength(2);
});

test('TM4 mail that comes with the end of a team is read with it', async () => {
  const step = gate();
  const story = await openStory({
    lead: leadThat({ Go: [create, start('alice', 'Work')], End: [call('TeamDelete', {})] }),
    agents: {
      Work: [() => step.opened.then(() => call('Glob', { pattern: '*' })), say('The last word.')],
    },
  });
  await story.prompt('Go');
  await until(() => story.requestsOf('Work').length === 1);
  const ending = story.prompt('End');
  await until(() => kinds(story).includes('team-lead shutdown_request alice'));
  step.open();
  await ending;
  await quiet(story);
  expect(mailOf(story, 'read').map(({ text }) => text)).toContain('The last word.');
  expect(listBox(story.at.home, 'new')).toEqual([]);
  expect(listBox(story.at.home, 'delivered')).toEqual([]);
  await story.session.close();
});

test('TM8 TM16 a user who asks for the end of a team from another process hears why it keeps running', async () => {
  const objection = (request: ModelRequest) => {
    const [, id] = /request_id\W+([\w-]{36})/.exec(JSON.stringify(request.messages.at(-1))) ?? [];
    return write('team-lead', {
      type: 'shutdown_response',
      request_id: id,
      approve: false,
      reason: 'not yet',
    });
  };
  const work = gate();
  const story = await openStory({
    lead: leadThat({ Go: [create, start('bob', 'Work')] }),
    agents: {
      Work: [() => work.opened.then(() => call('Glob', { pattern: '*' })), objection, say('I continue.')],
    },
  });
  await story.prompt('Go');
  await until(() => story.requestsOf('Work').length > 0);
  const place = locateTeam(story.at.home, 'crew');
  const toIncarnation = openMembers(place, systemMachine, systemClock).findIncarnation('team-lead');
  const asked = need(
    need(openPost(place, { machine: systemMachine, clock: systemClock })).sendNow(
      {
        to: 'team-lead',
        toIncarnation,
        kind: 'shutdown_request',
        text: 'The user ends it.',
        body: { force: false },
      },
      unclaimedSender('user', systemClock),
    ),
  );
  await until(() => kinds(story).includes('team-lead shutdown_request bob'));
  work.open();
  await until(() => kinds(story).includes('team-lead text user'));
  expect(mailOf(story).find(({ to }) => to === 'user')).toMatchObject({
    inReplyTo: asked.id,
    text: 'The team crew keeps running: bob: not yet.',
  });
  await story.session.close();
});

test('TM10 a teammate of a team that has ended is no address, and not offered as one', async () => {
  const story = await openStory({
    lead: leadThat({
      Go: [create, start('alice', 'Work')],
      End: [call('TeamDelete', {})],
      Late: [write('alice', 'Are you there?')],
    }),
    agents: { Work: [say('Ready.')] },
  });
  for (const prompt of ['Go', 'End', 'Late']) {
    await story.prompt(prompt);
    await quiet(story);
  }
  expect(story.results().at(-1)).toBe('There is no agent "alice", and no agent was started yet.');
  await story.session.close();
});
