import { judge } from '../permissions/context.ts';
import { isJudgeable } from '../permissions/judgeable.ts';
import { rememberPaths } from '../permissions/paths.ts';
import type {
  Access,
  AgentEvent,
  Answer,
  Decision,
  Verdict as Opinion,
  Question,
} from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
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
  const judgeCall = await judgeFor(agent, accesses);
  const { decision, targets } = judgeCall(call, accesses);
  if (decision.behaviour === 'allow') return grant(call, decision, targets);
  if (decision.behaviour === 'deny') return refuse(decision);
  const isSwapped = () =>
    [...targets].some(([path, real]) => agent.permissions.workspace.realPath(path) !== real);
  const question = questionOf(agent, call, accesses, decision);
  const opinion = yield* judgeOpen(agent, question, accesses);
  if (opinion?.behaviour === 'deny') return refuse({ ...opinion, by: 'judge' });
  // No person has seen it: where there is a sandbox it stays inside.
  if (opinion?.behaviour === 'allow') return isSwapped() ? refuse(swapped) : grant(call, decision, targets);
  const asked = opinion ? { ...question, decision: withOpinion(decision, opinion) } : question;
  yield eventOf(agent, { type: 'question_asked', question: asked });
  const answer = await agent.ask(asked, agent.signal);
  yield eventOf(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  if (answer.behaviour === 'allow' && !answer.input && isSwapped()) return refuse(swapped);
  return settle(agent, call, { decision, targets }, answer, judgeCall);
}

type JudgeCall = (call: PreparedCall, accesses: Access[]) => Judged;

interface Judged {
  decision: Decision;
  /** Where the paths of the call led for this decision: the tool must come to the same. */
  targets: ReadonlyMap<string, string>;
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

function settle(
  agent: AgentContext,
  call: PreparedCall,
  { decision, targets }: Judged,
  answer: Answer,
  judgeCall: JudgeCall,
): Verdict {
  if (answer.behaviour === 'deny')
    return {
      allowed: false,
      message: `Permission denied: ${answer.message}`,
      decision,
      ...(answer.interrupt ? { stop: 'Stopped by the user at a permission question.' } : {}),
    };
  if (!answer.input) return grant({ ...call, seen: true }, approved(decision), targets);
  return judgeChanged(agent, call, answer.input, judgeCall);
}

/** What a person has seen and allowed runs as it is, unless nothing may run outside the sandbox. */
function approved({ confine, ...decision }: Decision): Decision {
  const { neutralise: _, ...plain } = decision;
  return confine?.always ? { ...plain, confine } : plain;
}

const swapped: Decision = {
  behaviour: 'deny',
  by: 'workspace',
  reason: 'a link on the way was changed while the question was open, so the answer was for another file',
};

/** From the directory as it is now: a call before this one in the same message may have moved it. */
function accessesOf(agent: AgentContext, { tool, input }: PreparedCall): Access[] {
  return tool.access(input, agent.hands.directory.current);
}

/** A changed input was never judged: it may skip the question, never a deny, a role or the ceiling. */
function judgeChanged(
  agent: AgentContext,
  call: PreparedCall,
  input: Record<string, unknown>,
  judgeCall: JudgeCall,
): Verdict {
  const changed = prepareCall(agent, { type: 'tool_use', id: call.id, name: call.tool.name, input }, true);
  if (!changed.ok)
    return refuse({
      behaviour: 'deny',
      by: 'default',
      reason: `The changed input was refused. ${changed.reason}`,
    });
  const { decision, targets } = judgeCall(changed, accessesOf(agent, changed));
  if (decision.behaviour === 'deny') return refuse(decision);
  const seen = { ...changed, seen: true } as const;
  return grant(seen, decision.behaviour === 'ask' ? approved(decision) : decision, targets);
}

function grant(call: PreparedCall, { neutralise, confine }: Decision, targets: Judged['targets']): Verdict {
  return {
    allowed: true,
    call: { ...call, targets, ...(neutralise ? { neutralise } : {}), ...(confine ? { confine } : {}) },
  };
}

/** Whether there is a sandbox is found out when the first command comes. */
async function judgeFor(agent: AgentContext, accesses: readonly Access[]): Promise<JudgeCall> {
  const needsShell = accesses.some((access) => access.kind === 'shell');
  const sandbox = needsShell ? await agent.hands.shell.sandbox?.ready() : undefined;
  return ({ tool, input }, touched) => {
    const { permissions } = agent;
    // Looked up once: what was judged and what is compared later is the same look.
    const workspace = rememberPaths({ ...permissions.workspace, ...(sandbox ? { sandbox } : {}) });
    const decision = judge({ ...permissions, workspace }, { tool: tool.name, accesses: touched, input });
    const paths = touched.flatMap((access) => ('path' in access ? [access.path] : []));
    return { decision, targets: new Map(paths.map((path) => [path, workspace.realPath(path)])) };
  };
}

function refuse(decision: Decision): Verdict {
  return { allowed: false, message: `Permission denied: ${decision.reason}`, decision };
}
