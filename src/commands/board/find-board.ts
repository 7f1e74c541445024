import { join } from 'node:path';
import { ok, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { findSessionOwner } from '../../session/owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { findSession, latestSession, type SessionSummary } from '../../store/sessions.ts';
import { type Board, openBoard } from '../../team/board/board.ts';
import { openMembers } from '../../team/members.ts';
import { isTeamName, locateTeam } from '../../team/team-place.ts';
import { listTeams, loadTeam } from '../../team/team-record.ts';

export interface FoundBoard {
  board: Board;
  /** Whose it is, in words. */
  title: string;
  /** The team's name or the session's id. */
  name: string;
}

interface WhichBoard {
  team?: string;
  session?: string;
}

/** The board that is meant: a team's, a session's, or that of the latest session here and of the team that it leads. */
export async function findBoard(
  around: Surroundings,
  which: WhichBoard,
  told: (problem: string) => void,
): Promise<Result<FoundBoard>> {
  if (which.team !== undefined && which.session !== undefined)
    return usage('--team and --session cannot be used together.', 'Leave one of them out.');
  if (which.team !== undefined) return openTeamBoard(around, which.team, told);
  if (which.session !== undefined) {
    const found = await findSession(around.layout, which.session);
    return found.ok ? ok(openSessionBoard(around, found.value, told)) : found;
  }
  const latest = await latestSession(around.layout, around.cwd);
  if (!latest)
    return usage(
      'There is no session in this directory.',
      'Name a team with --team, or a session of another directory with --session.',
    );
  const { teams } = listTeams(around.home, around.machine);
  const led = teams.find((team) => team.leaderSession === latest.id && team.endedAt === undefined);
  return led ? openTeamBoard(around, led.name, told) : ok(openSessionBoard(around, latest, told));
}

function openTeamBoard(
  { home, machine, clock }: Surroundings,
  name: string,
  told: (problem: string) => void,
): Result<FoundBoard> {
  const place = isTeamName(name) ? locateTeam(home, name) : undefined;
  const team = place ? loadTeam(place, machine) : ok(undefined);
  if (!team.ok) return team;
  if (!place || !team.value) {
    const known = listTeams(home, machine).teams.map((one) => one.name);
    const hint = known.length === 0 ? 'There are no teams yet.' : `Teams: ${known.join(', ')}.`;
    return usage(`There is no team "${visibleLine(name, 60)}".`, hint);
  }
  const members = openMembers(place, machine, clock);
  const board = openBoard({
    ...{ directory: place.board, machine, clock, told },
    isAlive: (member, incarnation) => members.isAlive(member, incarnation),
    findHolder: (member) => members.findIncarnation(member),
  });
  return ok({ board, title: `Team ${name}`, name });
}

function openSessionBoard(
  { home, machine, clock }: Surroundings,
  { id, projectDirectory }: SessionSummary,
  told: (problem: string) => void,
): FoundBoard {
  const board = openBoard({
    ...{ directory: join(projectDirectory, id, 'board'), machine, clock, told },
    // The lead has its items again when the session is resumed; its agents ended with the process.
    isAlive: (member) => member === 'main' || findSessionOwner(home, id) !== undefined,
  });
  return { board, title: `Session ${id}`, name: id };
}
