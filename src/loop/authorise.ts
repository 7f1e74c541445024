import { isByRule } from '../permissions/approvals.ts';
import { isJudgeable } from '../permissions/judgeable.ts';
import { deny } from '../places/reasons.ts';
import type {
  Access,
  AgentEvent,
  Answer,
  Decision,
  Verdict as Opinion,
  Question,
} from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { type CallChange, type ChangedCall, judgeChange, swapped } from './changed-call.ts';
import { foreseeFailure, previewCall } from './foresee.ts';
import { askHooks, withHooks } from './hook-decision.ts';
import { buildJudgedCall, type JudgeCall, type Judged, listAccesses } from './judge-call.ts';
import { judgedHistory } from './judged-history.ts';
import type { PreparedCall } from './prepare-call.ts';
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
  const judged = await judgeSeated(agent, call, accesses, judgeCall, seat);
  const { targets } = judged;
  const decision = call.hooked ? yield* withHooks(agent, call, judged.decision, accesses) : judged.decision;
  if (decision.behaviour === 'allow') return grant(call, decision, targets);
  if (decision.behaviour === 'deny') {
    seat.leave();
    return refuse(decision);
  }
  return yield* ask(
    agent,
    { call, accesses, judged: { decision, targets } },
    { judgeCall, seat, changes: 0 },
  );
}

interface Asking {
  judgeCall: JudgeCall;
  seat: Seat;
  /** How often an answer has put another call in the place of the one that was asked about. */
  changes: number;
}

/** Shows what the call would do, and waits for the answer. */
async function* ask(
  agent: AgentContext,
  open: ChangedCall,
  asking: Asking,
): AsyncGenerator<AgentEvent, CallAuthorisation> {
  const { call, accesses, judged } = open;
  const { decision, targets } = judged;
  asking.seat.leave();
  const failing = await foreseeFailure(agent, call, accesses, targets);
  if (failing !== undefined) return { allowed: false, message: failing, decision, fails: true };
  const preview = yield* previewCall(agent, call, targets);
  if (preview && 'fails' in preview) return { allowed: false, message: preview.fails, decision, fails: true };
  const shown = preview ? { ...call, previewed: preview.value } : call;
  const question = buildQuestion(agent, call, accesses, decision, preview);
  return yield* askAbout(agent, { call: shown, accesses, judged }, question, asking);
}

async function* askAbout(
  agent: AgentContext,
  asked: ChangedCall,
  question: Question,
  asking: Asking,
): AsyncGenerator<AgentEvent, CallAuthorisation> {
  const { call, accesses } = asked;
  const { decision, targets } = asked.judged;
  const { judgeCall, seat } = asking;
  const isSwapped = () =>
    [...targets].some(([path, real]) => agent.permissions.workspace.realPath(path) !== real);
  const change = (input: Record<string, unknown> | undefined) =>
    judgeChange(agent, asked, input, judgeCall, seat);
  const heard = agent.hooks ? yield* askHooks(agent, call, question, change) : undefined;
  if (heard?.behaviour === 'deny') return denied(heard.answer, heard.decision);
  if (heard) return yield* follow(agent, asked, heard, asking, isSwapped);
  const opinion = yield* judgeOpen(agent, question, accesses);
  if (opinion?.behaviour === 'deny') return refuse({ ...opinion, by: 'judge' });
  // No person has seen it, so it stays inside the sandbox if there is one.
  if (opinion?.behaviour === 'allow') return isSwapped() ? refuse(swapped) : grant(call, decision, targets);
  const shown = opinion ? { ...question, decision: withOpinion(decision, opinion) } : question;
  yield markEvent(agent, { type: 'question_asked', question: shown });
  let isGranted = false;
  const again = () => {
    const { decision: now } = judgeCall(call, accesses);
    isGranted = isByRule(now);
    return now;
  };
  // If a hook took part in the decision, a rule alone is not an answer.
  const answer = await agent.approval.ask(shown, agent.signal, call.hooked?.decision ? undefined : again);
  yield markEvent(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  if (answer.behaviour === 'deny') return denied(answer, decision);
  // As if the rule had existed before: no person has seen this call.
  if (isGranted) {
    if (isSwapped()) return refuse(swapped);
    const now = await judgeSeated(agent, call, accesses, judgeCall, seat);
    return now.decision.behaviour === 'allow'
      ? grant(call, now.decision, now.targets)
      : refuse({ ...now.decision, behaviour: 'deny' });
  }
  const yes = { change: await change(answer.input), decision, isSeen: true };
  return yield* follow(agent, asked, yes, asking, isSwapped);
}

/** A yes: for the call that was shown, or for what the answer has made of it. */
async function* follow(
  agent: AgentContext,
  { call, judged: { targets } }: ChangedCall,
  { change, decision, isSeen }: { change: CallChange; decision: Decision; isSeen: boolean },
  asking: Asking,
  isSwapped: () => boolean,
): AsyncGenerator<AgentEvent, CallAuthorisation> {
  const seen = isSeen ? { seen: true as const } : {};
  if (change.kind === 'refused') return refuse(change.decision);
  if (change.kind === 'none')
    return isSwapped()
      ? refuse(swapped)
      : grant({ ...call, ...seen }, isSeen ? approved(decision) : decision, targets);
  if (change.kind === 'runs') {
    const { decision: now, targets: found } = change.judged;
    const isAnswered = isSeen && now.behaviour === 'ask';
    return grant({ ...change.call, ...seen }, isAnswered ? approved(now) : now, found);
  }
  const changes = asking.changes + 1;
  return changes > maxChanges ? refuse(neverShown) : yield* ask(agent, change, { ...asking, changes });
}

/** Whoever changes an input means one other call, not a new one for each question. */
const maxChanges = 3;

const neverShown = deny(
  'default',
  `each of ${maxChanges + 1} answers changed the input again, so what would run was never shown; an answer with the input of the question, or with none, allows it`,
);

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

function denied(answer: Extract<Answer, { behaviour: 'deny' }>, decision: Decision): CallAuthorisation {
  return {
    allowed: false,
    message: `Permission denied: ${answer.message}`,
    decision,
    answer: answer.message,
    stop: answer.interrupt ? 'The user stopped the turn at a permission question.' : undefined,
  };
}

/** A call that a person has seen and allowed runs as it is, unless it can stay inside the sandbox. */
function approved({ confine, ...decision }: Decision): Decision {
  const { neutralise: _, ...plain } = decision;
  if (!confine?.always) return plain;
  const { offers, ...kept } = confine;
  return { ...plain, confine: { ...kept, ...(offers ? { shows: offers } : {}) } };
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
