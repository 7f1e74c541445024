import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import type { WaitEdge } from '../../src/protocol/index.ts';
import { openMembers } from '../../src/team/members.ts';
import { collectStoredWaits } from '../../src/team/stored-waits.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { call, say } from '../../src/testing/index.ts';
import { gate, openStory, quiet, type Story } from '../agents/support.ts';
import { until } from '../support/index.ts';
import { place } from './support.ts';
import { create, leadThat, start, states, write } from './team-support.ts';

/** As the session shows them, and as another process finds them. */
function seeWaits({ session, at }: Pick<Story, 'session' | 'at'>): [WaitEdge[], WaitEdge[]] {
  const members = openMembers(locateTeam(at.home, 'crew'), systemMachine, systemClock).list();
  return [session.team()?.waits ?? [], collectStoredWaits({ members, mail: [], items: [] })];
}

test('TM15 a member that waits for an answer of the user is in the graph until it has it, for other processes too', async () => {
  const story = await openStory(
    {
      lead: leadThat({ Go: [create, start('alice', 'Work')] }),
      agents: { Work: [call('Write', { file_path: 'a.txt', content: 'a' }), say('Denied.')] },
    },
    { attended: true },
  );
  await story.prompt('Go');
  await until(() => seeWaits(story).every((waits) => waits.length > 0));
  for (const waits of seeWaits(story))
    expect(waits).toMatchObject([
      { from: 'alice', to: 'user', kind: 'approval', what: expect.stringContaining('a.txt') },
    ]);
  const last = story.events.findLast((event) => event.type === 'team_changed');
  expect(last).toMatchObject({ team: { waits: [{ from: 'alice', to: 'user' }] } });
  const [asked] = story.session.approvals.waiting();
  story.session.approvals.answer(asked?.question.id ?? '', { behaviour: 'deny', message: 'no' });
  await quiet(story);
  await until(() => seeWaits(story).every((waits) => waits.length === 0));
  await story.session.close();
});

test('TM15 a question of a member in another session is in the graph of its leader and in the files', async () => {
  const at = place();
  const leader = await openStory(
    { lead: leadThat({ Go: [create], Write: [write('carol', 'Write a.txt.')] }), agents: {} },
    { attended: true },
    at,
  );
  await leader.prompt('Go');
  const member = await openStory(
    { lead: [call('Write', { file_path: 'a.txt', content: 'a' }), say('Written.')], agents: {} },
    { teamMember: 'carol@crew', attended: true },
    at,
  );
  await until(() => states(leader).carol === 'idle');
  await leader.prompt('Write');
  await until(() => seeWaits(leader).every((waits) => waits.length > 0));
  for (const waits of seeWaits(leader))
    expect(waits).toMatchObject([{ from: 'carol', to: 'user', kind: 'approval' }]);
  await member.session.close();
  await leader.session.close();
});

test('TM15 TM17 a member that was refused a file waits for whoever has it', async () => {
  const step = gate();
  const story = await openStory(
    {
      lead: leadThat({ Go: [create, start('alice', 'Hold')], More: [start('bob', 'Take')] }),
      agents: {
        Hold: [
          call('Write', { file_path: 'a.txt', content: 'alice' }),
          () => step.opened.then(() => say('Done.')),
        ],
        Take: [call('Write', { file_path: 'a.txt', content: 'bob' }), say('I cannot.')],
      },
    },
    { permissionMode: 'acceptEdits' },
  );
  await story.prompt('Go');
  await until(() => story.requestsOf('Hold').length === 2);
  await story.prompt('More');
  await until(() => states(story).bob === 'idle');
  await until(() => seeWaits(story).every((waits) => waits.length > 0));
  for (const waits of seeWaits(story))
    expect(waits).toMatchObject([
      { from: 'bob', to: 'alice', kind: 'lease', what: expect.stringContaining('a.txt') },
    ]);
  step.open();
  await quiet(story);
  await until(() => seeWaits(story).every((waits) => waits.length === 0));
  await story.session.close();
});

test('TM15 a member without a slot waits for one', async () => {
  const step = gate();
  const story = await openStory(
    {
      lead: leadThat({ Go: [create, start('alice', 'Hold'), start('bob', 'Next')] }),
      agents: { Hold: [() => step.opened.then(() => say('Done.'))], Next: [say('Mine.')] },
    },
    { settings: '{"agents":{"maxConcurrent":1}}' },
  );
  await story.prompt('Go');
  await until(() => seeWaits(story).every((waits) => waits.length > 0));
  for (const waits of seeWaits(story))
    expect(waits).toMatchObject([{ from: 'bob', to: 'slot', kind: 'slot' }]);
  step.open();
  await quiet(story);
  await until(() => seeWaits(story).every((waits) => waits.length === 0));
  await story.session.close();
});
