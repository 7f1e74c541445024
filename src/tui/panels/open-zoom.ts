import { dirname } from 'node:path';
import { createSessionLayout } from '../../store/layout.ts';
import { loadConversation } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { readEarlier } from '../earlier.ts';
import type { Back } from './open-row.ts';

/** Opens the agent's view. Parts of the conversation not in memory are read from the agent's transcript. */
export function zoom(desk: Desk, agentId: string, under?: Back): void {
  const { view } = desk.app.state;
  const { transcriptPath, id } = desk.session.info();
  const { entries, left } = view.agents.get(agentId)?.conversation ?? { entries: [], left: 0 };
  if ((entries.length === 0 || left > 0) && transcriptPath !== null) {
    const path = createSessionLayout(dirname(transcriptPath), id).agentTranscript(agentId);
    desk.app.show(loadConversation(view, agentId, readEarlier(path)));
  }
  desk.open({ kind: 'zoom', agentId, up: 0, ...(under ? { under } : {}) });
}
