import { boundText, visibleLine } from '../lib/text/text.ts';
import type { BoardItem, MemberRecord } from '../protocol/team.ts';
import { isOpen, listReady } from './board/links.ts';
import { summariseItem } from './board/render-board.ts';
import type { SharedNote } from './memory.ts';

export interface TeamSnapshot {
  team: string;
  members: readonly MemberRecord[];
  items: readonly BoardItem[];
  notes: readonly SharedNote[];
  /** Where the shared notes are. */
  memory: string;
}

const maxMembers = 50;
const maxReady = 20;
const maxNotes = 50;
const maxCharacters = 6_000;

/** Who is in a team, what they can do and what they work on, for a member that starts (TM7). Its text is data of others: escape it. */
export function renderSnapshot({ team, members, items, notes, memory }: TeamSnapshot): string {
  const shown = members.filter(({ state }) => state !== 'ended').slice(0, maxMembers);
  const ready = listReady(items).slice(0, maxReady);
  const lines = [
    `Team ${team}:`,
    ...shown.map((member) => describeMember(member, items)),
    ...(ready.length > 0 ? ['Free on the board:', ...ready.map((item) => `- ${summariseItem(item)}`)] : []),
    notes.length > 0
      ? `Shared notes in ${memory}: ${notes
          .slice(0, maxNotes)
          .map(({ name }) => name)
          .join(', ')}`
      : `Shared notes: none yet. Put them in ${memory}.`,
  ];
  return boundText(lines.join('\n'), maxCharacters);
}

function describeMember(member: MemberRecord, items: readonly BoardItem[]): string {
  const { name, agentType, state, reason, model, tools = [], description } = member;
  const kind = [agentType, model].filter((part) => part !== undefined).join(', ');
  const own = items.filter((item) => item.owner === name && isOpen(item)).slice(0, 5);
  const parts = [
    `- ${visibleLine(name, 64)}${kind === '' ? '' : ` (${visibleLine(kind, 100)})`}: ${state}${reason ? `, ${visibleLine(reason, 120)}` : ''}`,
    ...(description ? [visibleLine(description, 160)] : []),
    ...(tools.length > 0 ? [`tools: ${describeTools(tools)}`] : []),
    ...(own.length > 0
      ? [`works on ${own.map(({ id, subject }) => `${id} ${visibleLine(subject, 60)}`).join('; ')}`]
      : []),
  ];
  return parts.join('. ');
}

function describeTools(tools: readonly string[]): string {
  const shown = tools.slice(0, 12).map((tool) => visibleLine(tool, 40));
  return tools.length > shown.length
    ? `${shown.join(' ')} and ${tools.length - shown.length} more`
    : shown.join(' ');
}
