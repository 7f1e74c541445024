import { processIo } from '../../headless/process-io.ts';
import { ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { MemberRecord, TeamRecord } from '../../protocol/index.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { openBoard } from '../../team/board/board.ts';
import { listMail } from '../../team/mail/list-mail.ts';
import { type Members, openMembers } from '../../team/members.ts';
import { renderWaits } from '../../team/render-waits.ts';
import { collectStoredWaits } from '../../team/stored-waits.ts';
import { locateTeam, type TeamPlace } from '../../team/team-place.ts';
import { listTeams, loadTeam } from '../../team/team-record.ts';
import { findCircles } from '../../team/waits.ts';
import { findTeam } from '../mail/find-team.ts';
import type { FlagsOf } from '../table/commands.ts';

/** `cadre team list`: all teams of the user, open ones first. */
export async function printTeams({ json, all }: FlagsOf<'team list'>): Promise<Result<string>> {
  const { home, machine, clock } = lookAround({});
  const { teams, problems } = listTeams(home, machine);
  for (const problem of problems) processIo().writeErr(`cadre: ${problem}\n`);
  const shown = teams.filter(({ endedAt }) => all || endedAt === undefined);
  const rows = shown.map((team) => {
    const members = openMembers(locateTeam(home, team.name), machine, clock).list();
    return json ? `${JSON.stringify({ ...team, members })}\n` : `${describeTeam(team, members)}\n`;
  });
  const none =
    'No team is open. A session creates one when you ask for a team. Ended ones: cadre team list --all\n';
  return ok(rows.length > 0 || json ? rows.join('') : none);
}

function describeTeam({ name, endedAt, description }: TeamRecord, members: readonly MemberRecord[]): string {
  const running = members.filter(({ state }) => !['ended', 'dead', 'suspended'].includes(state)).length;
  const state =
    endedAt === undefined ? `${running} of ${members.length} members running` : `ended ${endedAt}`;
  return `${name}  ${state}${description ? `  ${visibleLine(description, 100)}` : ''}`;
}

/** `cadre team show`: the members of a team, with state and reason. */
export async function showTeam(
  name: string | undefined,
  { json }: FlagsOf<'team show'>,
): Promise<Result<string>> {
  const opened = openTeam(name);
  if (!opened.ok) return opened;
  const { place, members, around } = opened.value;
  const record = loadTeam(place, around.machine);
  if (!record.ok) return record;
  const all = members.list();
  const items = readBoard(opened.value).list();
  if (json) return ok(`${JSON.stringify({ ...record.value, members: all, items })}\n`);
  const open = items.filter(({ status }) => status !== 'completed').length;
  const lines = [
    ...(record.value ? [describeTeam(record.value, all)] : []),
    ...all.map(describeMember),
    `Board: ${items.length} items, ${open} open (cadre board --team ${place.name})`,
  ];
  return ok(`${lines.join('\n')}\n`);
}

function describeMember({ name, kind, state, reason, agentType, model, stateSince }: MemberRecord): string {
  const why = reason ? `: ${visibleLine(reason, 200)}` : '';
  return [`  ${name}`, kind, `${state}${why}`, `since ${stateSince}`, agentType, model]
    .filter(Boolean)
    .join('  ');
}

/** `cadre team waits`: who waits for whom or what, circles first. */
export async function printWaits(
  name: string | undefined,
  { json }: FlagsOf<'team waits'>,
): Promise<Result<string>> {
  const opened = openTeam(name);
  if (!opened.ok) return opened;
  const { place, members, around } = opened.value;
  const mail = listMail(place, around.machine);
  if (!mail.ok) return mail;
  const edges = collectStoredWaits({
    ...{ members: members.list(), items: readBoard(opened.value).list() },
    mail: mail.value.map(({ message }) => message),
  });
  const circles = findCircles(edges);
  return ok(
    json
      ? `${JSON.stringify({ waits: edges, circles: circles.map((circle) => circle.edges) })}\n`
      : renderWaits(edges, circles, around.clock.now()),
  );
}

export interface OpenedTeam {
  place: TeamPlace;
  members: Members;
  around: Surroundings;
}

export function openTeam(name: string | undefined): Result<OpenedTeam> {
  const around = lookAround({});
  const place = findTeam(around, name);
  if (!place.ok) return place;
  return ok({ place: place.value, members: openMembers(place.value, around.machine, around.clock), around });
}

function readBoard({ place, members, around }: OpenedTeam) {
  const { machine, clock } = around;
  return openBoard({
    ...{ directory: place.board, machine, clock },
    isAlive: (member, incarnation) => members.isAlive(member, incarnation),
  });
}
