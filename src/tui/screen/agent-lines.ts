import { formatTime } from '../../lib/text/duration.ts';
import type { Agent, AgentSummary } from '../../view/index.ts';
import { formatCounts, formatDuration, formatSummary } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import {
  agentStyle,
  type NamedPlace,
  paint,
  shortenPlaces,
  showLine,
  truncate,
  width,
  wrap,
} from '../text/index.ts';
import { sign, spoken, styled } from './layout.ts';
import { stateMarks, type WorkState } from './work-table.ts';

/** A running agent: name, purpose, progress, last action. One line of the given width. */
export function agentRow(agent: Agent, drawing: Drawing): string {
  const counts = `${formatCounts(agent, drawing.now)}${agent.isBackgrounded ? ' · background' : ''}`;
  const { suspended } = agent;
  const doing = suspended?.reason ?? shortenPlaces(agent.activity, listAgentPlaces(agent, drawing));
  const activity = doing === '' ? '' : ` · ${showLine(doing, 200)}`;
  const { wait } = agent.conversation.live;
  const isWaiting = wait?.kind === 'limit' || wait?.kind === 'retry';
  const state = suspended
    ? ` · suspended until ${formatTime(suspended.until, drawing.now)}`
    : agent.state === 'pending'
      ? ' · queued'
      : isWaiting
        ? ` · ${wait.kind === 'retry' ? 'retrying in' : 'waiting'} ${formatDuration(Math.max(0, wait.until - drawing.now))}`
        : '';
  const kept = spoken(drawing, `${counts}${state}`);
  const rest = styled(drawing, 'dim', `${kept}${spoken(drawing, activity)}`);
  return truncate(`${formatAgentName(agent, drawing, keptBefore(kept, activity))} ${rest}`, drawing.width);
}

/** An isolated agent's paths are shown relative to its worktree, not to the session's directory. */
export function listAgentPlaces({ worktree }: Agent, { places }: Drawing): readonly NamedPlace[] {
  if (!worktree) return places;
  return [{ path: worktree.path, name: '' }, ...places.filter(({ name }) => name !== '')];
}

/** Its summary in one line, if there is no room for more. */
export function agentEndLine(agent: AgentSummary, drawing: Drawing): string {
  const { kept, why, text } = describeEnd(agent, drawing);
  return truncate(`${formatAgentName(agent, drawing, keptBefore(kept, why))} ${text}`, drawing.width);
}

/** Its permanent summary: one line, or more if one cannot say how it ended, and why. */
export function agentEndLines(agent: AgentSummary, drawing: Drawing): string[] {
  const { kept, why, text } = describeEnd(agent, drawing);
  const mark = ' '.repeat(width(agentMark(agent, drawing)));
  const isShort = width(mark) + minDescription + 1 + width(kept) <= drawing.width;
  const name = formatAgentName(agent, drawing, isShort ? width(kept) : 0);
  if (isShort && width(name) + 1 + width(text) <= drawing.width) return [`${name} ${text}`];
  if (why === '')
    return isShort ? [agentEndLine(agent, drawing)] : [name, truncate(mark + text, drawing.width)];
  const { text: end } = describeEnd({ ...agent, reason: null }, drawing);
  const head = isShort ? [`${name} ${end}`] : [name, mark + end];
  const reason = wrap(why.slice(2), Math.max(10, drawing.width - width(mark))).slice(0, maxReason);
  const style = agent.state === 'failed' ? 'removed' : 'dim';
  return [...head, ...reason.map((line) => mark + styled(drawing, style, line))].map((line) =>
    truncate(line, drawing.width),
  );
}

/** Rows of the reason why an agent ended. */
const maxReason = 3;

function describeEnd(agent: AgentSummary, drawing: Drawing): { kept: string; why: string; text: string } {
  const style = agent.state === 'failed' ? 'error' : agent.state === 'killed' ? 'warning' : 'dim';
  const why = agent.reason === null ? '' : `: ${showLine(agent.reason, 300)}`;
  const kept = spoken(drawing, formatSummary(agent));
  if (!agent.claims) return { kept, why, text: styled(drawing, style, `${kept}${why}`) };
  const claims = spoken(drawing, ` · claims: ${agent.claims.text}`);
  const marked = styled(drawing, agent.claims.isGood ? 'dim' : 'warning', claims);
  const text = `${styled(drawing, style, kept)}${marked}${styled(drawing, style, why)}`;
  return { kept: `${kept}${claims}`, why, text };
}

/** The rest may be cut, but the ellipsis needs its place too. */
function keptBefore(kept: string, rest: string): number {
  return width(kept) + (rest === '' ? 0 : 1);
}

/** This much of its purpose tells it from others. */
const minDescription = 8;

/**
 * Its type in its colour, and its purpose. If the line has no room for them and the part kept after them, the purpose is
 * shortened first, and then the type is left out.
 */
function formatAgentName(agent: AgentSummary, drawing: Drawing, kept: number): string {
  const style = agentStyle(drawing.theme, agent.colour);
  const mark = agentMark(agent, drawing);
  const name = agent.name === null ? '' : `@${showLine(agent.name, 40)}`;
  const description = showLine(agent.description, 80);
  const least = Math.min(minDescription, width(description));
  const whole = [showLine(agent.type, 40), name].filter(Boolean).join(' ');
  const roomBehind = (head: string) => drawing.width - kept - width(mark + head) - (head === '' ? 1 : 2);
  const head = roomBehind(whole) < least && description !== '' ? name : whole;
  const shown = truncate(description, Math.max(least, roomBehind(head)));
  return mark + [...(head === '' ? [] : [paint(style, head)]), shown].join(' ');
}

type Marked = Pick<AgentSummary, 'state'> & Partial<Pick<Agent, 'questions' | 'suspended'>>;

/** Its state, as in the table of work; its colour is for its name alone. */
function agentMark(agent: Marked, drawing: Drawing): string {
  if (drawing.plain) return sign(drawing, '', 'Agent');
  const [glyph, style] = stateMarks[findState(agent)];
  return `${styled(drawing, style, glyph)} `;
}

function findState({ state, questions = [], suspended }: Marked): WorkState {
  if (state === 'completed') return 'done';
  if (state === 'failed') return 'failed';
  if (state === 'killed') return 'stopped';
  if (questions.length > 0) return 'asking';
  if (suspended) return 'suspended';
  return state === 'pending' ? 'queued' : 'running';
}
