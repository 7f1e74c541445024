import { expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leaseMs } from '../../src/lib/leases/lease.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { openMembers, palette } from '../../src/team/members.ts';
import { nameMemberLease } from '../../src/team/names.ts';
import { facts, leadFacts, newTeam, value } from './support.ts';

test('TM11 an address is held by one incarnation at a time', () => {
  const { members } = newTeam();
  const bob = value(members.claim('bob', facts));
  expect(members.claim('bob', facts)).toMatchObject({
    ok: false,
    problem: { message: `bob@web is held by another process (process ${process.pid}).` },
  });
  expect(members.isAlive('bob')).toBe(true);
  expect(members.isAlive('bob', bob.incarnation)).toBe(true);
  expect(members.isAlive('bob', '1-other')).toBe(false);
  bob.release();
  expect(members.isAlive('bob')).toBe(false);
  expect(bob.check()).toBe(false);
});

test('TM11 a successor is another incarnation, with a higher number, and keeps colour and time of joining', () => {
  const { members, clock } = newTeam();
  const numbers = [];
  const records = [];
  for (let run = 0; run < 3; run++) {
    const bob = value(members.claim('bob', facts));
    numbers.push(Number.parseInt(bob.incarnation, 10));
    records.push(members.read('bob'));
    bob.release();
    clock.advance(1_000);
  }
  expect(numbers).toEqual([1, 2, 3]);
  expect(new Set(records.map((record) => record?.colour)).size).toBe(1);
  expect(new Set(records.map((record) => record?.joinedAt)).size).toBe(1);
  expect(new Set(records.map((record) => record?.incarnation)).size).toBe(3);
});

test('a member whose process is gone is dead, and its address can be claimed', () => {
  const team = newTeam();
  const other = { pid: 999_999_999, start: 'gone' };
  let isAlive = true;
  const machine = {
    ...systemMachine,
    self: () => other,
    isAlive: (mark: typeof other) => (mark.pid === other.pid ? isAlive : systemMachine.isAlive(mark)),
  };
  const elsewhere = openMembers(team.place, machine, team.clock);
  const first = value(elsewhere.claim('bob', facts));
  value(first.update({ state: 'working' }));
  expect(openMembers(team.place, machine, team.clock).read('bob')?.state).toBe('working');
  isAlive = false;
  expect(team.members.read('bob')?.state).toBe('dead');
  expect(team.members.isAlive('bob', first.incarnation)).toBe(false);
  const second = value(team.members.claim('bob', facts));
  expect(Number.parseInt(second.incarnation, 10)).toBe(2);
});

test('a holder that is paused past its lease is passed, and knows it when it wakes', () => {
  const team = newTeam();
  let uptime = 1_000;
  const machine = { ...systemMachine, uptime: () => uptime };
  const members = openMembers(team.place, machine, team.clock);
  const paused = value(members.claim('bob', facts));
  uptime += 2 * leaseMs;
  const successor = value(members.claim('bob', facts));
  expect(paused.check()).toBe(false);
  expect(paused.update({ state: 'idle' })).toMatchObject({ ok: false });
  paused.release();
  expect(members.isAlive('bob', successor.incarnation)).toBe(true);
  expect(members.read('bob')?.incarnation).toBe(successor.incarnation);
});

test('the heartbeat is the renewal of the lease', () => {
  const team = newTeam();
  let uptime = 1_000;
  const members = openMembers(team.place, { ...systemMachine, uptime: () => uptime }, team.clock);
  const bob = value(members.claim('bob', facts));
  const before = members.read('bob')?.heartbeatAt ?? '';
  for (let time = 0; time < 4 * leaseMs; time += leaseMs / 3) {
    uptime += leaseMs / 3;
    team.clock.advance(leaseMs / 3);
  }
  expect(members.isAlive('bob', bob.incarnation)).toBe(true);
  expect(Date.parse(members.read('bob')?.heartbeatAt ?? '')).toBeGreaterThanOrEqual(Date.parse(before));
  expect(bob.check()).toBe(true);
});

test('a change of state has its time, and the reason of the state before goes', () => {
  const { members, clock } = newTeam();
  const bob = value(members.claim('bob', facts));
  value(bob.update({ state: 'waiting', reason: 'for item k7f2' }));
  clock.advance(5_000);
  value(bob.update({ state: 'waiting', lastReport: 'r1' }));
  const waiting = members.read('bob');
  expect(waiting).toMatchObject({ state: 'waiting', reason: 'for item k7f2', lastReport: 'r1' });
  value(bob.update({ state: 'working' }));
  expect(members.read('bob')?.reason).toBeUndefined();
  expect(Date.parse(members.read('bob')?.stateSince ?? '')).toBe(
    Date.parse(waiting?.stateSince ?? '') + 5_000,
  );
});

test('a member that was released is ended, not dead; one that was suspended says so', () => {
  const { members } = newTeam();
  value(members.claim('bob', facts)).release();
  value(members.claim('ann', facts)).release('suspended', 'the limit resets at 9');
  expect(members.read('bob')?.state).toBe('ended');
  expect(members.read('ann')).toMatchObject({ state: 'suspended', reason: 'the limit resets at 9' });
});

test('what the leader wants of a member outlives a claim and a change of its holder', () => {
  const { members } = newTeam();
  const bob = value(members.claim('bob', facts));
  expect(members.read('bob')?.wanted).toBe('running');
  value(members.want('bob', 'ended'));
  value(bob.update({ state: 'working' }));
  expect(members.read('bob')?.wanted).toBe('ended');
  bob.release();
  value(members.claim('bob', facts));
  expect(members.read('bob')?.wanted).toBe('ended');
  expect(members.want('nobody', 'ended')).toMatchObject({ ok: false });
});

test('TM17 team-lead is for the leader only', () => {
  const { members } = newTeam();
  expect(members.claim('team-lead', facts)).toMatchObject({ ok: false });
  expect(members.claim('bob', leadFacts)).toMatchObject({ ok: false });
  value(members.claim('team-lead', leadFacts));
});

for (const name of [
  'user',
  'main',
  '*',
  '',
  '../x',
  'a/b',
  '.hidden',
  '1st',
  'program:x',
  'x'.repeat(65),
  'a b',
])
  test(`"${name}" is not a name for a member`, () => {
    expect(newTeam().members.claim(name, facts)).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  });

test('names that differ in dots and lines have leases of their own', () => {
  const names = ['a.b', 'a_db', 'a-b', 'a__db', 'a_b', 'a._b', 'a_.b'];
  expect(new Set(names.map(nameMemberLease)).size).toBe(names.length);
  const { members } = newTeam();
  for (const name of names) value(members.claim(name, facts));
  expect(members.list().map(({ name }) => name)).toEqual(names.toSorted());
});

test('TM1 members have different colours until the palette is used up, and keep them', () => {
  const { members } = newTeam();
  const names = Array.from({ length: palette.length + 3 }, (_, index) => `m${index}`);
  for (const name of names) value(members.claim(name, facts));
  const colours = names.map((name) => members.read(name)?.colour ?? '');
  expect(new Set(colours.slice(0, palette.length)).size).toBe(palette.length);
  expect(colours.every((colour) => (palette as readonly string[]).includes(colour))).toBe(true);
});

test('a damaged record is named, does not stop the others, and can be claimed again', () => {
  const { members, place } = newTeam();
  value(members.claim('ann', facts));
  value(members.claim('bob', facts)).release();
  writeFileSync(join(place.members, 'bob.json'), '{"format":1');
  expect(members.list().map(({ name }) => name)).toEqual(['ann']);
  expect(members.listDamaged()).toEqual(['bob']);
  value(members.claim('bob', facts));
  expect(members.listDamaged()).toEqual([]);
});

test('a record is JSON that other programs can read', () => {
  const { members, place } = newTeam();
  value(members.claim('bob', { ...facts, tools: ['Read'], pane: { executor: 'tmux', id: '%3' } }));
  const record = JSON.parse(readFileSync(join(place.members, 'bob.json'), 'utf8'));
  expect(record).toMatchObject({ format: 1, name: 'bob', team: 'web', state: 'starting', wanted: 'running' });
});

test('a start that failed leaves no member, and its incarnation is not given again', () => {
  const { members } = newTeam();
  const bob = value(members.claim('bob', facts));
  bob.release();
  value(members.withdraw('bob', undefined));
  expect(members.read('bob')).toBeUndefined();
  expect(members.list()).toEqual([]);
  expect(members.listDamaged()).toEqual([]);
  const again = value(members.claim('bob', facts));
  expect(Number.parseInt(again.incarnation, 10)).toBe(2);
  expect(members.read('bob')?.state).toBe('starting');
});

test('a second start that failed leaves an earlier member as it was, and a living one alone', () => {
  const { members } = newTeam();
  const bob = value(members.claim('bob', { ...facts, description: 'first' }));
  value(members.withdraw('bob', undefined));
  expect(members.read('bob')?.state).toBe('starting');
  bob.release('suspended', 'closed');
  const before = members.read('bob');
  value(members.claim('bob', { ...facts, description: 'second' })).release();
  value(members.withdraw('bob', before));
  expect(members.read('bob')).toMatchObject({ state: 'suspended', reason: 'closed', description: 'first' });
});

test('TM17 names that mean others are reserved in any spelling, and names differ by more than case', () => {
  const { members } = newTeam();
  for (const name of ['all', 'All', 'main', 'MAIN', 'user', 'Team-Lead', 'team-lead', '*'])
    expect([name, members.claim(name, facts)]).toMatchObject([
      name,
      { ok: false, problem: { message: `"${name}" is reserved: a teammate needs another name.` } },
    ]);
  value(members.claim('ok', facts));
  expect(members.claim('OK', facts)).toMatchObject({
    ok: false,
    problem: { message: 'There is a member ok already.' },
  });
});
