import { visibleLine, visibleProse } from '../../lib/text/text.ts';
import { hasDead, renderCensus } from '../../workflows/census.ts';
import type { RunChange, RunEnd } from '../../workflows/run-types.ts';

const maxValue = 20_000;

/** One change as a line; undefined for those that no reader of lines needs. */
export function renderLine(change: RunChange): string | undefined {
  switch (change.type) {
    case 'phase':
      return `== ${change.name}`;
    case 'log':
      return visibleLine(change.text, 2_000);
    case 'suspended':
      return change.halt && `waits: ${visibleLine(change.halt.reason, 500)}`;
    case 'call': {
      const { label, state, outcome, verdict, reason, agentId, tokens } = change.call;
      if (state === 'running') return agentId === undefined ? undefined : `-> ${label} (${agentId})`;
      // Those that were never started are in the census; the end of the run says why.
      if (state !== 'ended' || (verdict === 'HALTED' && agentId === undefined)) return undefined;
      const why = reason === undefined ? '' : `: ${visibleLine(reason, 300)}`;
      return `${outcome === 'ok' ? 'ok' : outcome} ${verdict} ${label} (${tokens} tokens)${why}`;
    }
  }
}

/** The end of a run for the agent that started it, and for people. */
export function renderEnd({ runId, status, value, summary, reason, until, census }: RunEnd): string {
  const parts = [`Run ${runId}: ${status}. ${renderCensus(census)}.`];
  if (reason) parts.push(visibleProse(reason));
  if (until !== undefined) parts.push(`It may continue after ${new Date(until).toISOString()}.`);
  const canContinue = status === 'partial' ? hasDead(census) : status !== 'completed' && status !== 'running';
  if (canContinue)
    parts.push(`Resume it with \`cadre run --resume ${runId}\`: finished calls are not run again.`);
  const isShown = status === 'completed' || status === 'partial';
  if (isShown && value !== undefined && value !== null)
    parts.push(
      (summary ?? (typeof value === 'string' ? value : JSON.stringify(value, null, 2))).slice(0, maxValue),
    );
  return parts.join('\n');
}
