import { keepDefined } from '../lib/fields/keep-defined.ts';
import { askedBy } from '../loop/asked-by.ts';
import type { Decision, Question, ToolContext } from '../protocol/index.ts';
import type { AgentKernel } from './kernel.ts';

export interface QuestionSubject {
  toolName: 'Agent' | 'ExitPlanMode' | 'Workflow' | 'AskUserQuestion';
  input: Record<string, unknown>;
  /** Why it must be asked. */
  by: Decision['by'];
  reason: string;
  summary: string;
  /** What a yes starts, where the input does not say it. */
  preview?: string;
  /** The meaning of a yes and a no. */
  allows?: string;
  refuses?: string;
}

/** A question of the harness for an agent: about agents it would start, or its plan. No rule could answer it. */
export function questionAbout(
  { roster, ids, sessionId, clock }: Pick<AgentKernel, 'roster' | 'ids' | 'sessionId' | 'clock'>,
  { toolUseId, agentId, directory }: ToolContext,
  { toolName, input, by, reason, summary, preview, allows, refuses }: QuestionSubject,
): Question {
  const live = roster.find(agentId);
  return {
    id: ids.uuid(),
    sessionId,
    agentId,
    ...(live ? askedBy(live.context) : { asker: { type: 'lead' }, askedAt: clock.now(), expiresAt: null }),
    toolUseId,
    toolName,
    input,
    cwd: directory.current,
    decision: { behaviour: 'ask', by, reason },
    risk: { level: 'low', reasons: [] },
    suggestions: [],
    summary,
    ...keepDefined({ preview, allows, refuses }),
  };
}
