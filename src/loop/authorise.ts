import { judge } from '../permissions/context.ts';
import { suggestRules } from '../permissions/suggest.ts';
import type { Access, AgentEvent, Answer, Decision, Question } from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
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
  const judgeCall = await judgeFor(agent, accesses);
  const decision = judgeCall(call, accesses);
  if (decision.behaviour === 'allow') return grant(call, decision);
  if (decision.behaviour === 'deny') return refuse(decision);
  const shown = targetsOf(agent, accesses);
  const question = questionOf(agent, call, accesses, decision);
  yield eventOf(agent, { type: 'question_asked', question });
  const answer = await agent.ask(question, agent.signal);
  yield eventOf(agent, { type: 'question_answered', questionId: question.id, behaviour: answer.behaviour });
  if (answer.behaviour === 'allow' && !answer.input && targetsOf(agent, accesses) !== shown)
    return refuse(swapped);
  return settle(agent, call, decision, answer, judgeCall);
}

type JudgeCall = (call: PreparedCall, accesses: Access[]) => Decision;

function settle(
  agent: AgentContext,
  call: PreparedCall,
  decision: Decision,
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
  if (!answer.input) return grant(call, approved(decision));
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

/** Where the paths of a call really lead, to be compared before and after a question. */
function targetsOf(agent: AgentContext, accesses: readonly Access[]): string {
  const { realPath } = agent.permissions.workspace;
  return accesses.flatMap((access) => ('path' in access ? [realPath(access.path)] : [])).join('\0');
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
  const decision = judgeCall(changed, accessesOf(agent, changed));
  if (decision.behaviour === 'deny') return refuse(decision);
  return grant(changed, decision.behaviour === 'ask' ? approved(decision) : decision);
}

function grant(call: PreparedCall, { neutralise, confine }: Decision): Verdict {
  return {
    allowed: true,
    call: { ...call, ...(neutralise ? { neutralise } : {}), ...(confine ? { confine } : {}) },
  };
}

/** Whether there is a sandbox is found out when the first command comes. */
async function judgeFor(agent: AgentContext, accesses: readonly Access[]): Promise<JudgeCall> {
  const needsShell = accesses.some((access) => access.kind === 'shell');
  const sandbox = needsShell ? await agent.hands.shell.sandbox?.ready() : undefined;
  return ({ tool, input }, touched) => {
    const { permissions } = agent;
    const workspace = sandbox ? { ...permissions.workspace, sandbox } : permissions.workspace;
    return judge({ ...permissions, workspace }, { tool: tool.name, accesses: touched, input });
  };
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
