import { parseHost } from '../lib/hosts.ts';
import { isPrivateHost } from '../permissions/decide.ts';
import { allow, ask, deny } from '../places/reasons.ts';
import type { Access, AgentEvent, Answer, Decision, Question } from '../protocol/index.ts';
import { type AgentContext, type HookSkip, markEvent } from './agent-context.ts';
import type { CallChange } from './changed-call.ts';
import { describeHookPlace } from './hook-place.ts';
import { describeCall } from './hooked-call.ts';
import { listAccesses } from './judge-call.ts';
import type { PreparedCall } from './prepare-call.ts';

/**
 * The decision combined with the words of hooks before the call: they may narrow it freely, and may skip a question.
 */
export async function* withHooks(
  agent: AgentContext,
  call: PreparedCall,
  decision: Decision,
  accesses: readonly Access[],
): AsyncGenerator<AgentEvent, Decision> {
  const said = call.hooked?.decision;
  if (!said || decision.behaviour === 'deny') return decision;
  const reason = `a ${said.event ?? 'PreToolUse'} hook says: ${said.reason}`;
  if (said.behaviour === 'deny') return deny('hook', reason);
  if (said.behaviour === 'allow') {
    if (decision.behaviour !== 'ask' || !maySkip(agent, call, decision, accesses)) return decision;
    return (yield* skip(agent, call, unseen(decision, reason))) ?? decision;
  }
  if (decision.behaviour === 'ask') return decision;
  return agent.permissions.mode === 'dontAsk'
    ? deny('hook', `${reason}; mode dontAsk denies calls that would need to ask`)
    : { ...decision, ...ask('hook', reason) };
}

/** What hooks have said to a question. */
type Heard =
  | { behaviour: 'deny'; answer: Extract<Answer, { behaviour: 'deny' }>; decision: Decision }
  | { behaviour: 'allow'; change: CallChange; decision: Decision; isSeen: false };

/** Puts a question to hooks before a person sees it: they may say no to anything, and yes to what they may skip. */
export async function* askHooks(
  agent: AgentContext,
  call: PreparedCall,
  question: Question,
  judgeInput: (input: Record<string, unknown> | undefined) => Promise<CallChange>,
): AsyncGenerator<AgentEvent, Heard | undefined> {
  const place = describeHookPlace(agent);
  const answer = await agent.hooks?.permissionAsked?.(question, describeCall(agent, call), place);
  if (answer?.behaviour === 'deny')
    return { behaviour: 'deny', answer, decision: deny('hook', answer.message) };
  if (answer && maySkip(agent, call, question.decision, listAccesses(agent, call), true)) {
    const change = mayRun(agent, await judgeInput(answer.input));
    const decision = unseen(question.decision, 'a PermissionRequest hook allows it');
    const heard: Heard = { behaviour: 'allow', change, decision, isSeen: false };
    if (change.kind === 'refused' || change.kind === 'asks') return heard;
    const { input, ...plain } = answer;
    const given = change.kind === 'runs' ? answer : plain;
    if (yield* skip(agent, call, decision, { question, answer: given })) return heard;
  }
  const message = `${question.toolName} needs your permission: ${question.summary}`;
  agent.hooks?.notified?.({ kind: 'permission_prompt', message }, place);
  return undefined;
}

/** A call that a hook has put in its place is asked about if a hook may not allow it. */
function mayRun(agent: AgentContext, change: CallChange): CallChange {
  if (change.kind !== 'runs' || change.judged.decision.behaviour === 'allow') return change;
  const { call, accesses, judged } = change;
  return maySkip(agent, call, judged.decision, accesses, true) ? change : { ...change, kind: 'asks' };
}

/**
 * Whether a hook may answer in place of a person. Not where a person is required: a rule that asks, a protected path, a
 * question to the user, the ceiling (plan mode is one), an address on this machine or in a private network, a way out
 * of the sandbox.
 */
function maySkip(
  { permissions: { mode } }: AgentContext,
  { input }: PreparedCall,
  { by, rule }: Decision,
  accesses: readonly Access[],
  /** `PermissionRequest` hooks exist to answer what rules ask about. */
  answersRules = false,
): boolean {
  if (mode === 'plan' || by === 'ceiling' || by === 'protected-path') return false;
  if (by === 'rule' && (!answersRules || rule?.behaviour !== 'ask')) return false;
  if (input.dangerouslyDisableSandbox === true) return false;
  return !accesses.some(
    (access) =>
      access.kind === 'question' ||
      (access.kind === 'network' && isPrivateHost(parseHost(access.url)?.name ?? '')),
  );
}

/** No person has seen it, so it stays inside the sandbox if there is one. */
function unseen({ confine, within }: Decision, reason: string): Decision {
  return { ...allow('hook', reason), confine, within };
}

/** Undefined if it could not be logged: then a person is asked. */
async function* skip(
  agent: AgentContext,
  { id: toolUseId, tool: { name }, input }: PreparedCall,
  decision: Decision,
  answered?: HookSkip['answered'],
): AsyncGenerator<AgentEvent, Decision | undefined> {
  const what = { agentId: agent.agentId, tool: name, input, decision };
  const noted = await agent.approval.noteSkip?.(answered ? { ...what, answered } : what);
  if (noted && !noted.ok) return undefined;
  yield markEvent(agent, { type: 'question_skipped', toolUseId, toolName: name, input, decision });
  return decision;
}
