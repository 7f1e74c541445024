import { suggestRules } from '../permissions/suggest.ts';
import type { Access, AgentEvent, Answer, Decision, Question } from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
import { askHooks, withHooks } from './hook-decision.ts';
import { accessesOf, judgeCall } from './judge-call.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';

export type Verdict =
  | { allowed: true; call: PreparedCall }
  /** `stop` is set when the person not only denied the call but wants the turn to end. */
  | { allowed: false; message: string; decision: Decision; stop?: string };

/** Judges a call and, where the decision is to ask, asks. What was shown is what runs. */
export async function* authorise(
  agent: AgentContext,
  call: PreparedCall,
): AsyncGenerator<AgentEvent, Verdict> {
  const accesses = accessesOf(agent, call);
  const judged = judgeCall(agent, call, accesses);
  const decision = call.hooked ? yield* withHooks(agent, call, judged, accesses) : judged;
  if (decision.behaviour === 'allow') return grant(call, decision);
  if (decision.behaviour === 'deny') return refuse(decision);
  const shown = targetsOf(agent, accesses);
  const question = questionOf(agent, call, accesses, decision);
  const heard = agent.hooks ? yield* askHooks(agent, call, question) : undefined;
  const answer = heard?.answer ?? (yield* askPerson(agent, question));
  if (answer.behaviour === 'allow' && !answer.input && targetsOf(agent, accesses) !== shown)
    return refuse(swapped);
  return settle(agent, call, heard?.decision ?? decision, answer);
}

async function* askPerson(agent: AgentContext, question: Question): AsyncGenerator<AgentEvent, Answer> {
  yield eventOf(agent, { type: 'question_asked', question });
  const answer = await agent.ask(question, agent.signal);
  yield eventOf(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  return answer;
}

function settle(agent: AgentContext, call: PreparedCall, decision: Decision, answer: Answer): Verdict {
  if (answer.behaviour === 'deny')
    return {
      allowed: false,
      message: `Permission denied: ${answer.message}`,
      decision,
      ...(answer.interrupt ? { stop: 'Stopped by the user at a permission question.' } : {}),
    };
  if (!answer.input) return { allowed: true, call };
  return judgeChanged(agent, call, answer.input);
}

const swapped: Decision = {
  behaviour: 'deny',
  by: 'workspace',
  reason: 'a link on the way was changed while the question was open, so the answer was for another file',
};

/** Where the paths of a call really lead, to be compared before and after a question. */
function targetsOf(agent: AgentContext, accesses: readonly Access[]): string {
  const { realPath } = agent.permissions.workspace;
  return accesses.flatMap((access) => ('path' in access ? [realPath(access.path)] : [])).join('\0');
}

/** A changed input was never judged: it may skip the question, never a deny, a role or the ceiling. */
function judgeChanged(agent: AgentContext, call: PreparedCall, input: Record<string, unknown>): Verdict {
  const changed = prepareCall(agent, { type: 'tool_use', id: call.id, name: call.tool.name, input }, true);
  if (!changed.ok)
    return refuse({
      behaviour: 'deny',
      by: 'default',
      reason: `The changed input was refused. ${changed.reason}`,
    });
  const decision = judgeCall(agent, changed, accessesOf(agent, changed));
  if (decision.behaviour === 'deny') return refuse(decision);
  return grant(call.hooked ? { ...changed, hooked: call.hooked } : changed, decision);
}

function grant(call: PreparedCall, { neutralise }: Decision): Verdict {
  return { allowed: true, call: neutralise ? { ...call, neutralise } : call };
}

function refuse(decision: Decision): Verdict {
  return { allowed: false, message: `Permission denied: ${decision.reason}`, decision };
}

function questionOf(
  agent: AgentContext,
  call: PreparedCall,
  accesses: Access[],
  decision: Decision,
): Question {
  return {
    id: agent.ids.uuid(),
    agentId: agent.agentId,
    toolUseId: call.id,
    toolName: call.tool.name,
    input: call.input,
    decision,
    suggestions: suggestRules({
      tool: call.tool.name,
      accesses,
      workspace: agent.permissions.workspace,
    }),
    summary: call.summary,
  };
}
