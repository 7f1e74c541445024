import { visibleLine } from '../../lib/text/text.ts';
import type { WorktreeRecord } from './record.ts';

/** Whose work it is. */
export type WorkOrigin = Pick<WorktreeRecord, 'title' | 'agentId' | 'agentName' | 'session'>;

const maxValue = 200;

/** Whose work it is, as trailers of a commit's message. */
export function listOrigin({ agentId, agentName, title, session }: WorkOrigin): string[] {
  const agent = agentName === undefined ? agentId : `${agentName} (${agentId})`;
  const named = title === undefined ? '' : visibleLine(title, maxValue).trim();
  return [
    ...(agentId === null ? [] : [`${agentTrailer}${agent}`]),
    ...(named === '' ? [] : [`Cadre-Task: ${named}`]),
    `Cadre-Session: ${session}`,
  ];
}

const agentTrailer = 'Cadre-Agent: ';

/** Whether a commit's message has the trailer of this agent, whatever its name was then. */
export function isSignedBy(message: string, agentId: string): boolean {
  return message
    .split('\n')
    .some(
      (line) =>
        line === `${agentTrailer}${agentId}` ||
        (line.startsWith(agentTrailer) && line.endsWith(` (${agentId})`)),
    );
}
