import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openMailbox } from '../../src/team/mail/mailbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { facts, value } from '../team/support.ts';
import { cadre, newPlace, start, until } from './support.ts';

const around = { machine: systemMachine, clock: systemClock };

/** A team with Bob, whose box the test reads. */
function openTeam(name = 'web', place = newPlace()) {
  value(createTeam({ name, leaderSession: 's1', cwd: place.cwd }, { home: place.home, ...around }));
  const team = locateTeam(place.home, name);
  const bob = value(openMembers(team, systemMachine, systemClock).claim('bob', facts));
  return {
    ...{ place, team, bob, box: value(openMailbox(team, bob, around)), post: value(openPost(team, around)) },
    run: (args: string[], more = {}) => cadre(['mail', ...args], { place, ...more }),
  };
}

test('TM16 cadre mail send writes to a member as the user, and status says how far it came', async () => {
  const { run, box, bob } = openTeam();
  const sent = await run(['send', 'bob', 'Look', 'at', 'the', 'parser.', '--json']);
  expect(sent).toMatchObject({ code: 0, err: '' });
  const { id } = JSON.parse(sent.out);
  expect(box.look()).toMatchObject([{ id, from: 'user', kind: 'text', text: 'Look at the parser.' }]);
  expect((await run(['status', id])).out).toBe('written  in the box of bob\n');
  value(box.noteRead(id));
  expect(JSON.parse((await run(['status', id, '--json'])).out)).toEqual({ id, box: 'bob', state: 'read' });
  expect((await run(['status'])).out).toContain(
    'bob  0 written, 0 delivered, 1 read, 0 void, 0 quarantined\n',
  );
  bob.release();
});

test('TM16 with --as the sender is a program, never a member, and its answer is read once', async () => {
  const { run, box, post, bob } = openTeam();
  expect(await run(['send', 'bob@web', '--as', 'build'], { input: 'Which branch?\n' })).toMatchObject({
    code: 0,
  });
  const [mail] = box.look();
  expect(mail).toMatchObject({ from: 'program:build', text: 'Which branch?\n' });
  value(await post.send({ to: 'program:build', kind: 'text', text: 'main', inReplyTo: mail?.id ?? '' }, bob));
  const read = await run(['read', '--as', 'build', '--json']);
  expect(JSON.parse(read.out)).toMatchObject({ from: 'bob', text: 'main', inReplyTo: mail?.id });
  expect((await run(['read', '--as', 'build'])).out).toBe('');
  await run(['send', 'bob', 'Hi.', '--as', 'team-lead']);
  expect(box.look().map(({ from }) => from)).toEqual(['program:build', 'program:team-lead']);
  expect(await run(['send', 'bob', 'Hi.', '--as', '../x'])).toMatchObject({ code: 2 });
});

test('TM16 a command that an agent runs is not the user', async () => {
  const { run, box } = openTeam();
  await run(['send', 'bob', 'I am the user.'], { env: { CADRE_OWNER: 'cadre-1' } });
  expect(box.look()).toMatchObject([{ from: 'program:agent-command' }]);
});

test('reading the boxes of members changes nothing, and shows who said what', async () => {
  const { run, box } = openTeam();
  await run(['send', '*', 'All hands.']);
  const all = await run(['read']);
  expect(all.out).toMatch(/user to bob {2}broadcast {2}written {2}\S+\n {2}All hands\.\n$/);
  expect((await run(['read', 'bob'])).out).toBe(all.out);
  expect(box.look()).toHaveLength(1);
});

test('mail watch prints mail that comes, and ends with the interrupt', async () => {
  const { run, place, post, bob } = openTeam();
  value(await post.send({ to: 'user', kind: 'text', text: 'Before.' }, bob));
  const watching = start(['mail', 'watch', 'user', '--json'], { place });
  let out = '';
  watching.child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  await until(() => out.includes('Before.'));
  value(await post.send({ to: 'user', kind: 'report', text: 'Done.' }, bob));
  await until(() => out.includes('Done.'));
  process.kill(watching.pid, 'SIGINT');
  expect(await watching.ended).toMatchObject({ code: 130, err: '' });
  expect(out.trimEnd().split('\n')).toHaveLength(2);
  expect((await run(['read', 'user'])).out).toBe('');
});

test('a wrong name, team or empty message is explained', async () => {
  const { run, place } = openTeam();
  expect(await run(['send', 'bop', 'Hi.'])).toEqual({
    ...{ code: 2, signal: null, out: '' },
    err: 'cadre: There is no bop in team web.\nIts members are: bob, user.\n',
  });
  expect(await run(['send', 'bob', ' '])).toMatchObject({ code: 2 });
  expect(await run(['read', '--team', '../x'])).toMatchObject({ code: 2 });
  expect(await run(['status', 'nothing'])).toMatchObject({ code: 2 });
  openTeam('second', place);
  const several = await run(['read']);
  expect(several).toMatchObject({ code: 2 });
  expect(several.err).toContain('--team');
  expect((await cadre(['mail', 'read'], { place: newPlace() })).err).toContain('There is no open team.');
});
