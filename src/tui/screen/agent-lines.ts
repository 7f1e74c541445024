import type { Agent, AgentSummary } from '../../view/index.ts';
import { countsOf, summaryOf } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentStyle, type Place, paint, shortenPlaces, showLine, truncate, width } from '../text/index.ts';
import { sign, spoken, styled } from './layout.ts';

/** A running agent: name, purpose, progress, last action. One line of the given width. */
export function agentRow(agent: Agent, drawing: Drawing): string {
  const counts = `${countsOf(agent, drawing.now)}${agent.isBackgrounded ? ' · background' : ''}`;
  const activity =
    agent.activity === ''
      ? ''
      : ` · ${showLine(shortenPlaces(agent.activity, placesFor(agent, drawing)), 200)}`;
  const state = agent.state === 'pending' ? '· queued' : '';
  const kept = spoken(drawing, `${counts}${state}`);
  const rest = styled(drawing, 'dim', `${kept}${spoken(drawing, activity)}`);
  return truncate(`${nameOf(agent, drawing, keptBefore(kept, activity))} ${rest}`, drawing.width);
}

/** An isolated agent's paths are shown relative to its worktree, not to the session's directory. */
export function placesFor({ worktree }: Agent, { places }: Drawing): readonly Place[] {
  if (!worktree) return places;
  return [{ path: worktree.path, name: '' }, ...places.filter(({ name }) => name !== '')];
}

/** Its summary in one line, if there is no room for more. */
export function agentEndLine(agent: AgentSummary, drawing: Drawing): string {
  const { kept, why, text } = endOf(agent, drawing);
  return truncate(`${nameOf(agent, drawing, keptBefore(kept, why))} ${text}`, drawing.width);
}

/** Its permanent summary: one line, or two if one cannot say how it ended. */
export function agentEndLines(agent: AgentSummary, drawing: Drawing): string[] {
  const { kept, text } = endOf(agent, drawing);
  const mark = sign(drawing, '◆', 'Agent');
  if (width(mark) + leastDescription + 1 + width(kept) <= drawing.width)
    return [agentEndLine(agent, drawing)];
  const lines = [nameOf(agent, drawing, 0), ' '.repeat(width(mark)) + text];
  return lines.map((line) => truncate(line, drawing.width));
}

function endOf(agent: AgentSummary, drawing: Drawing): { kept: string; why: string; text: string } {
  const style = agent.state === 'failed' ? 'error' : agent.state === 'killed' ? 'warning' : 'dim';
  const why = agent.reason === null ? '' : `: ${showLine(agent.reason, 300)}`;
  const kept = spoken(drawing, summaryOf(agent));
  return { kept, why, text: styled(drawing, style, `${kept}${why}`) };
}

/** The rest may be cut, but the ellipsis needs its place too. */
function keptBefore(kept: string, rest: string): number {
  return width(kept) + (rest === '' ? 0 : 1);
}

/** This much of its purpose tells it from others. */
const leastDescription = 8;

/**
 * Its type in its colour, and its purpose. If the line has no room for them and the part kept after them, the purpose is
 * shortened first, and then the type is left out.
 */
function nameOf(agent: AgentSummary, drawing: Drawing, kept: number): string {
  const style = agentStyle(drawing.theme, agent.colour);
  const mark = sign(drawing, '◆', 'Agent');
  const name = agent.name === null ? '' : `@${showLine(agent.name, 40)}`;
  const description = showLine(agent.description, 80);
  const least = Math.min(leastDescription, width(description));
  const whole = mark + [showLine(agent.type, 40), name].filter(Boolean).join(' ');
  const roomBehind = (head: string) => drawing.width - kept - width(head) - 2;
  const head = roomBehind(whole) < least && description !== '' ? `${mark}${name}`.trimEnd() : whole;
  const shown = truncate(description, Math.max(least, roomBehind(head)));
  return `${paint(style, head)} ${shown}`;
}
