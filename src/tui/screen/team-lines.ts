import type { MemberState } from '../../protocol/index.ts';
import { type Agent, findColour, formatDuration, type ShownMember, type View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentStyle, pad, paint, shortenPlaces, showLine, truncate, width } from '../text/index.ts';
import { listAgentPlaces } from './agent-lines.ts';
import { sign, spoken, styled } from './layout.ts';

export function findAgent(view: View, { agentId }: ShownMember): Agent | undefined {
  return agentId === null ? undefined : view.agents.get(agentId);
}

export interface MemberColumns {
  name: number;
  state: number;
}

export function measureMembers(members: readonly ShownMember[]): MemberColumns {
  return {
    name: Math.max(0, ...members.map(({ name }) => width(showName(name)))),
    state: Math.max(0, ...members.map(({ state }) => state.length)),
  };
}

/** Sign, name in its colour, state, since when, and why: one line. Nothing else has a colour. */
export function memberLine(
  member: ShownMember,
  agent: Agent | undefined,
  columns: MemberColumns,
  drawing: Drawing,
): string {
  const since = Number.isFinite(member.since) ? formatDuration(drawing.now - member.since) : '';
  const detail = spoken(drawing, describeMember(member, agent, drawing).join(' · '));
  const rest = drawing.plain
    ? [member.state, since, detail].filter(Boolean).join(', ')
    : `${pad(member.state, columns.state)}  ${pad(since, 7)}  ${detail}`.trimEnd();
  const asks = (agent?.questions.length ?? 0) > 0 ? spoken(drawing, ' · asks you') : '';
  const painted = paintName(member.name, member.colour, drawing);
  const name = drawing.plain ? painted : pad(painted, columns.name);
  const mark = sign(drawing, glyphs[member.state], 'Teammate');
  const isCalm = calm.has(member.state);
  const line = `${mark}${name}${drawing.plain ? ': ' : '  '}${isCalm ? styled(drawing, 'dim', rest) : rest}${asks}`;
  return truncate(line, drawing.width);
}

/** Different for each state, also without colours. */
const glyphs: Readonly<Record<MemberState, string>> = {
  starting: '◌',
  working: '●',
  idle: '○',
  waiting: '◐',
  stuck: '▲',
  suspended: '◇',
  dead: '✗',
  ended: '✓',
};

/** The others want a look. */
const calm: ReadonlySet<MemberState> = new Set(['starting', 'working', 'idle', 'suspended', 'ended']);

function describeMember(member: ShownMember, agent: Agent | undefined, drawing: Drawing): string[] {
  const { state, reason, items, unread } = member;
  const doing = agent && (state === 'working' || state === 'starting') ? agent.activity : '';
  const shown = reason === '' && agent ? shortenPlaces(doing, listAgentPlaces(agent, drawing)) : reason;
  return [
    ...(shown === '' ? [] : [showLine(shown, 200)]),
    ...(items.length === 0 ? [] : [`${items.length === 1 ? 'item' : 'items'} ${items.join(' ')}`]),
    ...(unread === 0 ? [] : [`${unread} unread`]),
  ];
}

export function paintName(name: string, colour: string, drawing: Drawing): string {
  return paint(agentStyle(drawing.theme, findColour(colour)), showName(name));
}

function showName(name: string): string {
  return showLine(name, 24);
}
