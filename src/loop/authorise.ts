import { isJudgeable } from '../permissions/judgeable.ts';
import type {
  Access,
  AgentEvent,
  Answer,
  Decision,
  Verdict as Opinion,
  Question,
} from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
import { askHooks, withHooks } from './hook-decision.ts';
import { accessesOf, judgeCall } from './judge-call.ts';
import { judgedHistory } from './judged-history.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';
import { questionOf } from './question-of.ts';

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
  const isSwapped = () => targetsOf(agent, accesses) !== shown;
  const question = questionOf(agent, call, accesses, decision);
  const heard = agent.hooks ? yield* askHooks(agent, call, question) : undefined;
  if (heard) return isSwapped() ? refuse(swapped) : settle(agent, call, heard.decision, heard.answer);
  const opinion = yield* judgeOpen(agent, question, accesses);
  if (opinion?.behaviour === 'deny') return refuse({ ...opinion, by: 'judge' });
  if (opinion?.behaviour === 'allow') return isSwapped() ? refuse(swapped) : { allowed: true, call };
  const asked = opinion ? { ...question, decision: withOpinion(decision, opinion) } : question;
  yield eventOf(agent, { type: 'question_asked', question: asked });
  const answer = await agent.ask(asked, agent.signal);
  yield eventOf(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  if (answer.behaviour === 'allow' && !answer.input && isSwapped()) return refuse(swapped);
  return settle(agent, call, decision, answer);
}

/** Undefined where no judge may speak: not in this mode, or not about such a call. */
async function* judgeOpen(
  agent: AgentContext,
  question: Question,
  accesses: readonly Access[],
): AsyncGenerator<AgentEvent, Opinion | undefined> {
  const { mode, workspace } = agent.permissions;
  if (!agent.judge || mode !== 'auto') return undefined;
  if (!isJudgeable(question.decision, accesses, workspace.userHome)) return undefined;
  const history = judgedHistory(agent.conversation.records, question.toolUseId);
  const opinion = await agent.judge.judge({ question, history }, agent.signal);
  const { toolUseId, toolName } = question;
  const { behaviour: verdict, reason } = opinion;
  yield eventOf(agent, { type: 'call_judged', toolUseId, toolName, verdict, reason });
  return opinion;
}

function withOpinion(decision: Decision, opinion: Opinion): Decision {
  return { ...decision, reason: `${decision.reason}; ${opinion.reason}` };
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
