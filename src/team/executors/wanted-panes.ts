import type { Clock } from '../../lib/clock.ts';
import type { Machine } from '../../lib/machine.ts';
import type { MemberRecord } from '../../protocol/index.ts';
import { openMembers } from '../members.ts';
import { locateTeam } from '../team-place.ts';
import { listTeams } from '../team-record.ts';

/** The members of all open teams of this home that should run in panes. */
export function listWantedPanes(home: string, machine: Machine, clock: Clock): MemberRecord[] {
  return listTeams(home, machine).teams.flatMap(({ name, endedAt }) =>
    endedAt === undefined ? openMembers(locateTeam(home, name), machine, clock).list().filter(isWanted) : [],
  );
}

function isWanted({ kind, wanted, state }: MemberRecord): boolean {
  return kind === 'pane' && wanted === 'running' && state !== 'ended';
}
