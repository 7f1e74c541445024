import { isByRule } from '../permissions/approvals.ts';
import { isJudgeable } from '../permissions/judgeable.ts';
import type {
  Access,
  AgentEvent,
  Answer,
  Decision,
  Verdict as Opinion,
  Question,
} from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { foreseeFailure, previewCall } from './foresee.ts';
import { askHooks, withHooks } from './hook-decision.ts';
import { buildJudgedCall, type JudgeCall, type Judged, listAccesses } from './judge-call.ts';
import { judgedHistory } from './judged-history.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';
import { buildQuestion } from './question-of.ts';
import { judgeSeated, type Seat } from './seat.ts';

export type CallAuthorisation =
  | { allowed: true; call: PreparedCall }
  /** `stop` is set when the user not only denied the call but wants the turn to end. */
  /** `fails`: it was not denied, it could not have worked. */
  | { allowed: false; message: string; decision: Decision; answer?: string; stop?: string; fails?: true };

/** Judges a call and asks if the decision is to ask. What was shown is what runs. */
export async function* authorise(
  agent: AgentContext,
  call: PreparedCall,
  seat: Seat,
): AsyncGenerator<AgentEvent, CallAuthorisation> {
  const accesses = listAccesses(agent, call);
  const judgeCall = await buildJudgedCall(agent, accesses);
  const { decision: judged, targets } = await judgeSeated(agent, call, accesses, judgeCall, seat);
  const decision = call.hooked ? yield* withHooks(agent, call, judged, accesses) : judged;
  if (decision.behaviour === 'allow') return grant(call, decision, targets);
  seat.leave();
  if (decision.behaviour === 'deny') return refuse(decision);
  const failing = await foreseeFailure(agent, call, accesses, targets);
  if (failing !== undefined) return { allowed: false, message: failing, decision, fails: true };
  const preview = yield* previewCall(agent, call, targets);
  if (preview && 'fails' in preview) return { allowed: false, message: preview.fails, decision, fails: true };
  const shown = preview ? { ...call, previewed: preview.value } : call;
  const question = buildQuestion(agent, call, accesses, decision, preview);
  return yield* askAbout(agent, shown, { question, accesses, targets, judgeCall, seat });
}

interface Asking {
  question: Question;
  accesses: Access[];
  targets: Judged['targets'];
  judgeCall: JudgeCall;
  seat: Seat;
}

async function* askAbout(
  agent: AgentContext,
  call: PreparedCall,
  { question, accesses, targets, judgeCall, seat }: Asking,
): AsyncGenerator<AgentEvent, CallAuthorisation> {
  const { decision } = question;
  const isSwapped = () =>
    [...targets].some(([path, real]) => agent.permissions.workspace.realPath(path) !== real);
  const heard = agent.hooks ? yield* askHooks(agent, call, question, judgeCall) : undefined;
  if (heard && isSwapped()) return refuse(swapped);
  if (heard)
    return settle(agent, call, { decision: heard.decision, targets }, heard.answer, judgeCall, false);
  const opinion = yield* judgeOpen(agent, question, accesses);
  if (opinion?.behaviour === 'deny') return refuse({ ...opinion, by: 'judge' });
  // No person has seen it, so it stays inside the sandbox if there is one.
  if (opinion?.behaviour === 'allow') return isSwapped() ? refuse(swapped) : grant(call, decision, targets);
  const asked = opinion ? { ...question, decision: withOpinion(decision, opinion) } : question;
  yield markEvent(agent, { type: 'question_asked', question: asked });
  let isGranted = false;
  const again = () => {
    const { decision: now } = judgeCall(call, accesses);
    isGranted = isByRule(now);
    return now;
  };
  // If a hook took part in the decision, a rule alone is not an answer.
  const answer = await agent.approval.ask(asked, agent.signal, call.hooked?.decision ? undefined : again);
  yield markEvent(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  if (answer.behaviour === 'allow' && !answer.input && isSwapped()) return refuse(swapped);
  // As if the rule had existed before: no person has seen this call.
  if (answer.behaviour === 'allow' && isGranted) {
    const now = await judgeSeated(agent, call, accesses, judgeCall, seat);
    return now.decision.behaviour === 'allow'
      ? grant(call, now.decision, now.targets)
      : refuse({ ...now.decision, behaviour: 'deny' });
  }
  return settle(agent, call, { decision, targets }, answer, judgeCall);
}

/** Undefined if no judge may decide: not in this mode, or not about such a call. */
async function* judgeOpen(
  agent: AgentContext,
  question: Question,
  accesses: readonly Access[],
): AsyncGenerator<AgentEvent, Opinion | undefined> {
  const { mode, workspace } = agent.permissions;
  const { judge } = agent.approval;
  if (!judge || mode !== 'auto') return undefined;
  if (!isJudgeable(question.decision, accesses, workspace)) return undefined;
  const history = judgedHistory(agent.conversation.records, question.toolUseId);
  const opinion = await judge.judge({ question, history }, agent.signal);
  const { toolUseId, toolName } = question;
  const { behaviour: verdict, reason } = opinion;
  yield markEvent(agent, { type: 'call_judged', toolUseId, toolName, verdict, reason });
  return opinion;
}

function withOpinion(decision: Decision, opinion: Opinion): Decision {
  return { ...decision, reason: `${decision.reason}; ${opinion.reason}` };
}

function settle(
  agent: AgentContext,
  call: PreparedCall,
  { decision, targets }: Judged,
  answer: Answer,
  judgeCall: JudgeCall,
  /** A person has seen it. */
  isSeen = true,
): CallAuthorisation {
  if (answer.behaviour === 'deny')
    return {
      allowed: false,
      message: `Permission denied: ${answer.message}`,
      decision,
      answer: answer.message,
      stop: answer.interrupt ? 'The user stopped the turn at a permission question.' : undefined,
    };
  if (!answer.input)
    return isSeen
      ? grant({ ...call, seen: true }, approved(decision), targets)
      : grant(call, decision, targets);
  return judgeChanged(agent, call, answer.input, judgeCall, isSeen);
}

/** A call that a person has seen and allowed runs as it is, unless it can stay inside the sandbox. */
function approved({ confine, ...decision }: Decision): Decision {
  const { neutralise: _, ...plain } = decision;
  if (!confine?.always) return plain;
  const { offers, ...kept } = confine;
  return { ...plain, confine: { ...kept, ...(offers ? { shows: offers } : {}) } };
}

const swapped: Decision = {
  behaviour: 'deny',
  by: 'workspace',
  reason: 'a link in the path was changed while the question was open, so the answer was for another file',
};

/** A changed input was never judged: it may skip the question, never a deny, a role or the ceiling. */
function judgeChanged(
  agent: AgentContext,
  call: PreparedCall,
  input: Record<string, unknown>,
  judgeCall: JudgeCall,
  isSeen: boolean,
): CallAuthorisation {
  const changed = prepareCall(agent, { type: 'tool_use', id: call.id, name: call.tool.name, input }, true);
  if (!changed.ok)
    return refuse({
      behaviour: 'deny',
      by: 'default',
      reason: `The changed input was refused. ${changed.reason}`,
    });
  const { decision, targets } = judgeCall(changed, listAccesses(agent, changed));
  if (decision.behaviour === 'deny') return refuse(decision);
  const hooked: PreparedCall = {
    ...changed,
    ...(call.hooked ? { hooked: call.hooked } : {}),
    ...(isSeen ? { seen: true } : {}),
  };
  return grant(hooked, isSeen && decision.behaviour === 'ask' ? approved(decision) : decision, targets);
}

function grant(
  call: PreparedCall,
  { neutralise, confine, within }: Decision,
  targets: Judged['targets'],
): CallAuthorisation {
  return {
    allowed: true,
    call: {
      ...call,
      targets,
      ...(neutralise ? { neutralise } : {}),
      ...(confine ? { confine } : {}),
      ...(within ? { within } : {}),
    },
  };
}

function refuse(decision: Decision): CallAuthorisation {
  return { allowed: false, message: `Permission denied: ${decision.reason}`, decision };
}
