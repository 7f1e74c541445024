import { assessRisk } from '../permissions/risk.ts';
import { suggestRules } from '../permissions/suggest.ts';
import type { Access, Decision, Question, Risk, RiskLevel } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { askedBy } from './asked-by.ts';
import type { PreparedCall } from './prepare-call.ts';

/** Everything that is needed to answer a question about a call. */
export function buildQuestion(
  agent: AgentContext,
  call: PreparedCall,
  accesses: Access[],
  decision: Decision,
  preview?: { text: string; risk: Risk },
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
    risk: preview ? raiseRisk(assessRisk(judged, decision), preview.risk) : assessRisk(judged, decision),
    suggestions: couldGrant(decision, accesses) ? suggestRules(judged) : [],
    summary: call.summary,
    preview: preview?.text,
  };
}

const levels: readonly RiskLevel[] = ['low', 'medium', 'high'];

function raiseRisk(found: Risk, told: Risk): Risk {
  const isHigher = levels.indexOf(told.level) > levels.indexOf(found.level);
  return {
    level: isHigher ? told.level : found.level,
    reasons: isHigher ? [...told.reasons, ...found.reasons] : [...found.reasons, ...told.reasons],
  };
}

/** No rule overrides a rule that asks, or what is always asked about. */
function couldGrant({ by }: Decision, accesses: readonly Access[]): boolean {
  if (by === 'rule') return false;
  return by !== 'protected-path' || accesses.every((access) => access.kind === 'read');
}
