import { dirname } from 'node:path';
import { createSessionLayout } from '../../store/layout.ts';
import { loadConversation } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { readEarlier } from '../earlier.ts';
import type { Back } from '../state.ts';

/** Opens the agent's view. Parts of the conversation not in memory are read from the agent's transcript. */
export function zoom(desk: Desk, agentId: string, under?: Back): void {
  const { view } = desk.app.state;
  const { entries, left } = view.agents.get(agentId)?.conversation ?? { entries: [], left: 0 };
  const path = entries.length === 0 || left > 0 ? findAgentTranscript(desk, agentId) : null;
  if (path !== null) desk.app.show(loadConversation(view, agentId, readEarlier(path)));
  desk.open({ kind: 'zoom', agentId, up: 0, ...(under ? { under } : {}) });
}

/** Null if nothing is stored. */
export function findAgentTranscript({ session }: Desk, agentId: string): string | null {
  const { transcriptPath, id } = session.info();
  return transcriptPath === null
    ? null
    : createSessionLayout(dirname(transcriptPath), id).agentTranscript(agentId);
}
