import { manualClock } from '../../src/lib/clock.ts';
import { memoryDisk } from '../../src/lib/files/memory-disk.ts';
import { countedIds, type Ids, randomIds } from '../../src/lib/ids.ts';
import { type Machine, systemMachine } from '../../src/lib/machine.ts';
import type { Result } from '../../src/lib/result.ts';
import { type BoxNews, openMailbox } from '../../src/team/mail/mailbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { type MemberFacts, openMembers } from '../../src/team/members.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { temporaryDirectory } from '../support/index.ts';

export const facts: MemberFacts = { kind: 'in-process', agentId: 'a1', sessionId: 's1' };
export const leadFacts: MemberFacts = { kind: 'lead', agentId: null, sessionId: 's1' };

/** A team on a real disk. */
export function newTeam(machine: Machine = systemMachine, home = temporaryDirectory().path) {
  const clock = manualClock(Date.parse('2026-11-18T00:00:00Z'));
  value(createTeam({ name: 'web', leaderSession: 's1', cwd: '/repo' }, { home, machine, clock }));
  const place = locateTeam(home, 'web');
  return { home, place, clock, machine, members: openMembers(place, machine, clock) };
}

/** One process of a machine in memory. */
export function memoryMachine(disk = memoryDisk(), ids: Ids = countedIds()): Machine {
  return {
    disk,
    ids: { uuid: ids.uuid, token: (length) => randomIds.token(length) },
    self: () => ({ pid: 1, start: 'memory' }),
    isAlive: () => true,
    locality: () => ({ host: 'memory', space: 'one boot' }),
    uptime: () => 1_000,
  };
}

export function value<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.problem));
}

/** A leader, a teammate with its box, and what went wrong in it. */
export function newPair(machine?: Machine, home?: string) {
  const team = newTeam(machine, home);
  const lead = value(team.members.claim('team-lead', leadFacts));
  const bob = value(team.members.claim('bob', facts));
  const news: BoxNews[] = [];
  const open = () => value(openMailbox(team.place, bob, { ...team, tell: (one) => void news.push(one) }));
  return { ...team, lead, bob, news, post: value(openPost(team.place, team)), box: open(), open };
}
