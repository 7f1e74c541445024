import type { Agent, AgentSummary } from '../../view/index.ts';
import { countsOf, summaryOf } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { agentStyle, type Place, paint, shortenPlaces, showLine, truncate } from '../text/index.ts';
import { sign, spoken, styled } from './layout.ts';

/** An agent that works: who, what for, how far, what last. One line of the given width. */
export function agentRow(agent: Agent, drawing: Drawing): string {
  const counts = `${countsOf(agent, drawing.now)}${agent.isBackgrounded ? ' · background' : ''}`;
  const name = nameOf(agent, drawing);
  const activity =
    agent.activity === ''
      ? ''
      : ` · ${showLine(shortenPlaces(agent.activity, placesFor(agent, drawing)), 200)}`;
  const state = agent.state === 'pending' ? ' · waits for its turn' : '';
  const rest = spoken(drawing, `${counts}${state}${activity}`);
  return truncate(`${name} ${styled(drawing, 'dim', rest)}`, drawing.width);
}

/** An agent that works apart is at home in its worktree, not where the session is. */
export function placesFor({ worktree }: Agent, { places }: Drawing): readonly Place[] {
  if (!worktree) return places;
  return [{ path: worktree.path, name: '' }, ...places.filter(({ name }) => name !== '')];
}

/** What stays of it: one line. */
export function agentEndLine(agent: AgentSummary, drawing: Drawing): string {
  const style = agent.state === 'failed' ? 'error' : agent.state === 'killed' ? 'warning' : 'dim';
  const why = agent.reason === null ? '' : `: ${showLine(agent.reason, 300)}`;
  const end = styled(drawing, style, spoken(drawing, `${summaryOf(agent)}${why}`));
  return truncate(`${nameOf(agent, drawing)} ${end}`, drawing.width);
}

/** Its type in its colour, and what it was started for. */
export function nameOf(agent: AgentSummary, drawing: Drawing): string {
  const style = agentStyle(drawing.theme, agent.colour);
  const name = agent.name === null ? '' : ` @${showLine(agent.name, 40)}`;
  return (
    paint(style, `${sign(drawing, '◆', 'Agent')}${showLine(agent.type, 40)}${name}`) +
    ` ${showLine(agent.description, 80)}`
  );
}
