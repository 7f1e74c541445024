import { riskOf } from '../permissions/risk.ts';
import { suggestRules } from '../permissions/suggest.ts';
import type { Access, Decision, Question } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import type { PreparedCall } from './prepare-call.ts';

/** Somebody may come back to an agent that works by itself; but not much later. */
const backgroundTimeoutMs = 10 * 60 * 1000;

/** All that whoever answers needs to see of a call. */
export function questionOf(
  agent: AgentContext,
  call: PreparedCall,
  accesses: Access[],
  decision: Decision,
): Question {
  const { input } = call;
  const judged = { tool: call.tool.name, accesses, input, workspace: agent.permissions.workspace };
  return {
    id: agent.ids.uuid(),
    sessionId: agent.identity.sessionId,
    agentId: agent.agentId,
    ...askedBy(agent),
    toolUseId: call.id,
    toolName: call.tool.name,
    input: call.input,
    cwd: agent.hands.directory.current,
    decision,
    risk: riskOf(judged, decision),
    suggestions: couldGrant(decision, accesses) ? suggestRules(judged) : [],
    summary: call.summary,
  };
}

/** Who asks and how long for, whatever the question is: one in the background opens no dialog and waits a while only. */
export function askedBy({
  identity: { badge },
  priority,
  limits,
  clock,
}: Pick<AgentContext, 'identity' | 'priority' | 'limits' | 'clock'>): Pick<
  Question,
  'asker' | 'askedAt' | 'expiresAt'
> {
  const isBackground = priority === 'background';
  const timeoutMs = limits.questionTimeoutMs ?? (isBackground ? backgroundTimeoutMs : undefined);
  const askedAt = clock.now();
  return {
    asker: { type: 'lead', ...badge, ...(isBackground ? { background: true } : {}) },
    askedAt,
    expiresAt: timeoutMs === undefined ? null : askedAt + timeoutMs,
  };
}

/** No rule lifts a rule that asks, nor what is always asked about. */
function couldGrant({ by }: Decision, accesses: readonly Access[]): boolean {
  if (by === 'rule') return false;
  return by !== 'protected-path' || accesses.every((access) => access.kind === 'read');
}
