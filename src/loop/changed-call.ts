import { isSameValue } from '../lib/fields/same-value.ts';
import { parseHost } from '../lib/hosts.ts';
import { deny } from '../places/reasons.ts';
import type { Access, Decision } from '../protocol/index.ts';
import type { AgentContext } from './agent-context.ts';
import { type JudgeCall, type Judged, listAccesses } from './judge-call.ts';
import { type PreparedCall, prepareCall } from './prepare-call.ts';
import { judgeSeated, type Seat } from './seat.ts';

/** What was asked about: the call as it was shown, and what was found about it then. */
export interface AskedCall {
  call: PreparedCall;
  accesses: readonly Access[];
  judged: Judged;
}

/** A call that an answer has put in the place of the one that was asked about. */
export interface ChangedCall {
  call: PreparedCall;
  accesses: Access[];
  judged: Judged;
}

/** What an answer's input makes of the call that was asked about. */
export type CallChange =
  /** It is the call that was shown. */
  | { kind: 'none' }
  | { kind: 'refused'; decision: Decision }
  /** It is allowed anyway, or the yes is for it. */
  | ({ kind: 'runs' } & ChangedCall)
  /** Nobody was shown what it would do. */
  | ({ kind: 'asks' } & ChangedCall);

export const swapped = deny(
  'workspace',
  'a link in the path was changed while the question was open, so the answer was for another file',
);

/**
 * An answer with another input is about a new call, which is judged in full, as things are now. The yes that came with it
 * is for what the input itself says, and for no more than the question was about.
 */
export async function judgeChange(
  agent: AgentContext,
  asked: AskedCall,
  input: Record<string, unknown> | undefined,
  judgeCall: JudgeCall,
  seat: Seat,
): Promise<CallChange> {
  const { id, tool, hooked } = asked.call;
  if (!input || isSameValue(input, asked.call.input)) return { kind: 'none' };
  const prepared = prepareCall(agent, { type: 'tool_use', id, name: tool.name, input }, true);
  if (!prepared.ok)
    return {
      kind: 'refused',
      decision: deny('default', `The changed input was refused. ${prepared.reason}`),
    };
  // A host may send back what the model wrote, without what the tool's defaults add.
  if (prepared.tool === tool && isSameValue(prepared.input, asked.call.input)) return { kind: 'none' };
  const call: PreparedCall = hooked ? { ...prepared, hooked } : prepared;
  const accesses = listAccesses(agent, call);
  const judged = await judgeSeated(agent, call, accesses, judgeCall, seat);
  const { decision, targets } = judged;
  if (decision.behaviour === 'deny') return { kind: 'refused', decision };
  if (leadsElsewhere(asked.judged.targets, targets)) return { kind: 'refused', decision: swapped };
  const runs = decision.behaviour === 'allow' || isCovered(asked, { call, accesses, judged });
  return { kind: runs ? 'runs' : 'asks', call, accesses, judged };
}

/** Of the paths that both name. */
function leadsElsewhere(before: Judged['targets'], now: Judged['targets']): boolean {
  return [...before].some(([path, real]) => now.has(path) && now.get(path) !== real);
}

/** Whether somebody who has seen the question and the new input has seen all that the call would do. */
function isCovered(asked: AskedCall, { call, accesses, judged }: ChangedCall): boolean {
  if (call.tool !== asked.call.tool || call.tool.preview) return false;
  if (leavesSandbox(call) && !leavesSandbox(asked.call)) return false;
  if (!isNoWider(judged.decision, asked.judged.decision)) return false;
  return accesses.every((access) => asked.accesses.some((shown) => isSamePlace(access, shown)));
}

function leavesSandbox({ input }: PreparedCall): boolean {
  return input.dangerouslyDisableSandbox === true;
}

/** What rules leave open, or the very reason that was given for the question. */
function isNoWider(now: Decision, shown: Decision): boolean {
  if (now.by === 'default' || now.by === 'mode') return true;
  return now.by === shown.by && (now.rule ? isSameValue(now.rule, shown.rule) : now.reason === shown.reason);
}

/** The text of a command says what it does; a path and an address lead somewhere. */
function isSamePlace(access: Access, shown: Access): boolean {
  if (access.kind !== shown.kind) return false;
  if ('path' in access && 'path' in shown) return access.path === shown.path;
  if (access.kind === 'network' && shown.kind === 'network')
    return isSameValue(parseHost(access.url), parseHost(shown.url));
  return true;
}
