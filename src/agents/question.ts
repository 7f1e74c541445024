import type { Question, ToolContext } from '../protocol/index.ts';
import type { AgentServices } from './services.ts';

/** A question of the harness's own about agents, on behalf of whoever would start them. No rule could answer it. */
export function questionAbout(
  services: AgentServices,
  { toolUseId, agentId, directory }: ToolContext,
  about: { input: Record<string, unknown>; reason: string; summary: string; allows: string },
): Question {
  return {
    id: services.ids.uuid(),
    sessionId: services.sessionId,
    agentId,
    asker: services.roster.find(agentId)?.context.badge ?? { type: 'lead' },
    toolUseId,
    toolName: 'Agent',
    input: about.input,
    cwd: directory.current,
    decision: { behaviour: 'ask', by: 'default', reason: about.reason },
    risk: { level: 'low', reasons: [] },
    suggestions: [],
    summary: about.summary,
    allows: about.allows,
    askedAt: services.clock.now(),
    expiresAt: null,
  };
}
