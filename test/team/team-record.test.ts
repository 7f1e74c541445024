import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { formatProcessName, nameByProcess } from '../../src/lib/files/temporary-names.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { claimLease } from '../../src/lib/leases/claim-lease.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { locateTeam, locateTeams } from '../../src/team/team-place.ts';
import { createTeam, createTeamInTurn, endTeam, listTeams, loadTeam } from '../../src/team/team-record.ts';
import { facts, newTeam, value } from './support.ts';

const again = { name: 'web', leaderSession: 's2', cwd: '/repo' };

test('a team is stored and found, with its leader', () => {
  const { home, place, machine } = newTeam();
  expect(value(loadTeam(place, machine))).toMatchObject({ format: 1, name: 'web', leaderSession: 's1' });
  expect(value(loadTeam(locateTeam(home, 'other'), machine))).toBeUndefined();
  expect(listTeams(home, machine).teams).toMatchObject([{ name: 'web', leaderSession: 's1' }]);
});

test('a team that has not ended is not replaced, whether or not anything of it runs', () => {
  const team = newTeam();
  expect(createTeam(again, team)).toMatchObject({
    ok: false,
    problem: { message: 'Team web exists already, and none of its members runs.' },
  });
  value(team.members.claim('bob', facts));
  expect(createTeam(again, team)).toMatchObject({
    ok: false,
    problem: { message: 'Team web exists already.', hint: expect.stringContaining('cadre team end web') },
  });
});

test('TM9 an ended team is replaced only when nothing of it runs, and nothing of it is left', () => {
  const team = newTeam();
  const bob = value(team.members.claim('bob', facts));
  const ended = value(endTeam(team.place, team.machine, team.clock));
  expect(value(endTeam(team.place, team.machine, team.clock))).toEqual(ended);
  expect(createTeam(again, team)).toMatchObject({
    ok: false,
    problem: { message: 'Team web has ended, but bob still runs.' },
  });
  bob.release();
  const next = value(createTeam(again, team));
  expect(next.id).not.toBe(ended.id);
  expect(next.endedAt).toBeUndefined();
  expect(team.members.list()).toEqual([]);
  expect(readdirSync(join(team.place.directory, 'mail'))).toEqual(['user']);
  expect(readdirSync(locateTeams(team.home)).filter((name) => name.startsWith('.gone'))).toEqual([]);
});

test('what a killed process left of a replaced team is removed by the next creation', () => {
  const team = newTeam();
  const nameGone = (pid: number, start: string) => `.gone-${formatProcessName({ pid, start }, randomIds)}`;
  const left = join(locateTeams(team.home), nameGone(999_999_999, '1'));
  const young = join(locateTeams(team.home), `.gone-${nameByProcess()}`);
  mkdirSync(join(left, 'mail'), { recursive: true });
  mkdirSync(young);
  value(createTeam({ ...again, name: 'second' }, team));
  expect([existsSync(left), existsSync(young)]).toEqual([false, true]);
});

test('a damaged team record is named and stops neither the list nor other teams', () => {
  const team = newTeam();
  value(createTeam({ ...again, name: 'broken' }, team));
  writeFileSync(join(locateTeam(team.home, 'broken').record), '{');
  const { teams, problems } = listTeams(team.home, systemMachine);
  expect(teams.map(({ name }) => name)).toEqual(['web']);
  expect(problems).toEqual([expect.stringContaining('broken/team.json is damaged')]);
  expect(createTeam({ ...again, name: 'broken' }, team)).toMatchObject({ ok: false });
});

for (const name of ['', '..', '../x', 'a/b', '.x', 'x y'])
  test(`"${name}" is not a name for a team`, () => {
    expect(createTeam({ ...again, name }, newTeam())).toMatchObject({
      ok: false,
      problem: { kind: 'usage' },
    });
  });

test('TM1 a team that is made while another process makes one waits for its turn', async () => {
  const team = newTeam();
  const making = { directory: join(team.home, 'teams', '.making'), machine: team.machine };
  const held = value(claimLease(making, 'teams'));
  if (held.state !== 'won') throw new Error('expected the lease');
  const made = createTeamInTurn({ ...again, name: 'second' }, { ...team, clock: systemClock });
  expect(await Promise.race([made, Promise.resolve('waits')])).toBe('waits');
  held.lease.release();
  expect(await made).toMatchObject({ ok: true, value: { name: 'second' } });
});

test('a team that is never given its turn says so', async () => {
  const team = newTeam();
  value(claimLease({ directory: join(team.home, 'teams', '.making'), machine: team.machine }, 'teams'));
  const made = createTeamInTurn({ ...again, name: 'second' }, team);
  for (let waits = 0; waits < 300; waits++) {
    await Promise.resolve();
    team.clock.advance(20);
  }
  expect(await made).toMatchObject({
    ok: false,
    problem: { message: 'Another process creates or removes a team right now.' },
  });
});
