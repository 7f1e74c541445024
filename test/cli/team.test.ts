import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { listMail } from '../../src/team/mail/list-mail.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { facts, leadFacts, value } from '../team/support.ts';
import { cadre, newPlace, until } from './support.ts';

const around = { machine: systemMachine, clock: systemClock };

function openTeam() {
  const place = newPlace();
  value(createTeam({ name: 'web', leaderSession: 's1', cwd: place.cwd }, { home: place.home, ...around }));
  const team = locateTeam(place.home, 'web');
  const members = openMembers(team, systemMachine, systemClock);
  const [alice, bob] = ['alice', 'bob'].map((name) => value(members.claim(name, facts)));
  return {
    place,
    alice,
    bob,
    post: value(openPost(team, around)),
    run: (args: string[]) => cadre(['team', ...args], { place }),
  };
}

test('TM16 cadre team lists teams and shows members with state and reason', async () => {
  const { run, alice } = openTeam();
  alice?.update({ state: 'waiting', reason: 'waits for an answer of bob' });
  expect((await run([])).out).toBe('web  2 of 2 members running\n');
  const shown = await run(['show']);
  expect(shown.out).toMatch(/alice {2}\S+ {2}waiting: waits for an answer of bob/);
  expect(JSON.parse((await run(['show', 'web', '--json'])).out)).toMatchObject({
    name: 'web',
    members: [{ name: 'alice' }, { name: 'bob' }],
  });
  expect(await run(['show', 'none'])).toMatchObject({ code: 2 });
});

test('TM15 cadre team waits names a circle of members that ask each other', async () => {
  const { run, alice, bob, post } = openTeam();
  if (!alice || !bob) throw new Error('no members');
  expect((await run(['waits'])).out).toBe('Nobody waits.\n');
  const ask = { kind: 'text' as const, awaitsAnswer: true };
  value(await post.send({ ...ask, to: 'bob', text: 'Which port?' }, alice));
  value(await post.send({ ...ask, to: 'alice', text: 'Which host?' }, bob));
  expect((await run(['waits'])).out).toContain('Circle: alice → bob → alice.');
  expect(JSON.parse((await run(['waits', '--json'])).out).circles).toHaveLength(1);
  value(await post.send({ kind: 'text', to: 'alice', text: 'Port 80.' }, bob));
  expect((await run(['waits'])).out).not.toContain('Circle');
});

test('TM8 cadre team end refuses while members run without a leader, and ends a team that nothing runs of', async () => {
  const { run, alice, bob } = openTeam();
  const refused = await run(['end', 'web']);
  expect(refused.code).toBe(2);
  expect(refused.err).toContain('The leader of web is not running, but still running: alice, bob.');
  alice?.release();
  bob?.release();
  expect(await run(['end', 'web'])).toMatchObject({ code: 0, out: 'The team web has ended.\n' });
  expect((await run(['list', '--all'])).out).toMatch(/^web {2}ended /);
});

test('TM8 cadre team end says why a team keeps running, as soon as its leader has answered', async () => {
  const { place, post, run } = openTeam();
  const team = locateTeam(place.home, 'web');
  const leader = value(openMembers(team, systemMachine, systemClock).claim('team-lead', leadFacts));
  const ended = run(['end', 'web']);
  const request = () => value(listMail(team, systemMachine, 'team-lead'))[0]?.message;
  await until(() => request() !== undefined);
  const answer = { to: 'user', kind: 'text' as const, text: 'The team web keeps running: bob: not yet.' };
  value(await post.send({ ...answer, inReplyTo: request()?.id }, leader));
  const { code, err } = await ended;
  expect(code).toBe(1);
  expect(err).toContain('The team web keeps running: bob: not yet.');
});
