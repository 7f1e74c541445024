import { countThings } from '../../lib/text/count-things.ts';
import { isForPeople, renderCircle, renderWait } from '../../team/render-waits.ts';
import type { ShownMember, ShownTeam, View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { findAgent } from '../screen/team-lines.ts';
import { tableLines } from '../screen/work-table.ts';
import type { Panel } from '../state.ts';
import { showControls, showLine, truncate, wrap } from '../text/index.ts';
import { mailLines } from './mail-lines.ts';
import { formatMemberId } from './rows.ts';
import { describeMember } from './work-cells.ts';

type TeamPanel = Extract<Panel, { kind: 'team' }>;

const maxMembers = 8;
const maxWaits = 5;

/** The members, who waits for whom, and below them the mail as a conversation, up to its end. */
export function teamLines(view: View, panel: TeamPanel, height: number, drawing: Drawing): string[] {
  const { team } = view;
  if (team.name === null) return noTeamLines(drawing);
  const head = [
    ...headLines(team, drawing),
    '',
    ...memberLines(view, panel, Math.max(1, Math.min(maxMembers, Math.floor(height / 3))), drawing),
    ...waitLines(team, drawing),
    '',
  ];
  const room = Math.max(1, height - head.length - 1);
  const mail = mailLines(team, room, panel.up, drawing);
  const title = spoken(
    drawing,
    `Mail${mail.above > 0 ? ` · ${countThings(mail.above, 'earlier message')} above` : ''}`,
  );
  return [...head, styled(drawing, 'heading', truncate(title, drawing.width)), ...mail.lines];
}

export const teamKeys =
  'return opens · m writes to it · a writes to all · x stops it · pageup and pagedown scroll the mail · esc goes back';

export function explainStop(name: string): string {
  return `Stop ${showLine(name, 60)}? y to stop it, any other key to cancel.`;
}

function noTeamLines(drawing: Drawing): string[] {
  const words =
    'This session leads no team. Ask for one: "Create a team of three: one writes the parser, one its tests, one the docs."';
  return [
    styled(drawing, 'heading', 'Team'),
    '',
    ...wrap(words, drawing.width).map((line) => styled(drawing, 'dim', line)),
  ];
}

function headLines({ name, isOpen, members, description }: ShownTeam, drawing: Drawing): string[] {
  const counts = new Map<string, number>();
  for (const { kind, state } of members) if (kind !== 'lead') counts.set(state, (counts.get(state) ?? 0) + 1);
  const states = [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
  const words = isOpen ? states || 'no teammates yet' : 'ended';
  const line = spoken(drawing, `Team ${showLine(name ?? '', 64)} · ${words}`);
  return [
    styled(drawing, 'heading', truncate(line, drawing.width)),
    ...(description === ''
      ? []
      : [styled(drawing, 'dim', truncate(showLine(description, 300), drawing.width))]),
  ];
}

function memberLines(view: View, { selected }: TeamPanel, most: number, drawing: Drawing): string[] {
  const { members } = view.team;
  const at = findMember(members, selected);
  const from = Math.max(0, Math.min(at - most + 1, members.length - most));
  const shown = members.slice(from, from + most);
  const inner = { ...drawing, width: drawing.width - 2 };
  const cells = members.map((member) => describeMember(view, member, findAgent(view, member), inner));
  const rows = tableLines(cells, inner)
    .rows.slice(from, from + most)
    .map((line, index) => styled(drawing, 'accent', pointer(from + index === at, drawing)) + line);
  if (members.length <= most) return rows;
  const place = `  ${from + 1}–${from + shown.length} of ${members.length}`;
  return [...rows, styled(drawing, 'dim', place)];
}

/** The cursor's row: members come and go, but it stays on the chosen one. At first it is on the first teammate. */
export function findMember(members: readonly ShownMember[], selected: string | null): number {
  if (selected === null) return Math.min(1, Math.max(0, members.length - 1));
  return Math.max(
    0,
    members.findIndex((member) => formatMemberId(member) === selected),
  );
}

function waitLines({ waits, circle }: ShownTeam, drawing: Drawing): string[] {
  const people = waits.filter(isForPeople);
  if (people.length === 0 && circle.length === 0) return [];
  const rows = people.slice(0, maxWaits).map((edge) => showLine(renderWait(edge, drawing.now), 400));
  const more = people.length - rows.length;
  return [
    '',
    styled(drawing, 'heading', 'Who waits for whom'),
    ...(circle.length === 0
      ? []
      : wrap(`  ${showControls(renderCircle({ edges: circle }))}`, drawing.width).map((line) =>
          styled(drawing, 'warning', line),
        )),
    ...rows.map((line) => truncate(`  ${line}`, drawing.width)),
    ...(more > 0 ? [styled(drawing, 'dim', `  … ${more} more`)] : []),
  ];
}
