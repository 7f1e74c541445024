import { type ToolResultBlock, textOf } from '../../protocol/message.ts';
import { summariseAgent } from '../agents.ts';
import { boundInput, buildExcerpt, cutLine, cutStart, maxProgress, maxResult } from '../bound.ts';
import type { ShownCall } from '../call.ts';
import { takeOver } from '../calls.ts';
import { reportedDiff } from '../diff.ts';
import type { Draft } from '../draft.ts';
import type { EventOf } from '../entry.ts';
import { noteEdit } from '../request.ts';

type CallEvent = EventOf<
  'tool_started' | 'tool_progressed' | 'tool_ended' | 'call_judged' | 'permission_denied' | 'question_skipped'
>;

/** Events of a call between the answer that holds it and its result. */
export function reduceCall(draft: Draft, agentId: string | null, event: CallEvent): void {
  const change = (fields: Partial<ShownCall>) => changeCall(draft, agentId, event.toolUseId, fields);
  switch (event.type) {
    case 'tool_started': {
      const { toolName, summary, input } = event;
      change({
        toolName,
        summary,
        input: boundInput(input),
        state: 'running',
        startedAt: draft.at,
      });
      break;
    }
    case 'tool_progressed':
      change({ progress: cutStart(event.progress.text, maxProgress) });
      break;
    case 'tool_ended':
      change({ durationMs: event.durationMs });
      break;
    case 'call_judged':
      change({ verdict: { behaviour: event.verdict, reason: cutLine(event.reason) } });
      break;
    case 'permission_denied':
      change({ denial: cutLine(event.answer ?? event.decision.reason) });
      break;
    case 'question_skipped':
      noteOnCall(draft, agentId, event.toolUseId, event.decision.reason);
      break;
  }
}

export function changeCall(
  draft: Draft,
  agentId: string | null,
  callId: string,
  fields: Partial<ShownCall>,
): void {
  const { calls } = draft.conversation(agentId).live;
  const at = calls.findIndex(({ id }) => id === callId);
  const before = calls[at];
  if (!before) return;
  const next = calls.slice();
  next[at] = { ...before, ...fields };
  draft.setLive(agentId, { calls: next });
}

/** False if no such call is running. */
export function noteOnCall(draft: Draft, agentId: string | null, callId: string, text: string): boolean {
  const call = draft.conversation(agentId).live.calls.find(({ id }) => id === callId);
  if (!call) return false;
  changeCall(draft, agentId, callId, { hooks: [...call.hooks, cutLine(text)] });
  return true;
}

/** The call has ended: it becomes an entry as soon as all before it have. */
export function endCall(
  draft: Draft,
  agentId: string | null,
  result: ToolResultBlock,
  toolData: unknown,
  at: number,
): void {
  const call = draft.conversation(agentId).live.calls.find(({ id }) => id === result.tool_use_id);
  if (!call) return;
  const end = describeCallEnd(call, result, toolData);
  changeCall(draft, agentId, call.id, end);
  if (end.state === 'done' && end.diff) noteEdit(draft, agentId, end.diff.path);
  const agents = [...draft.view.agents.values()].filter(
    ({ callId, parent }) => callId === call.id && parent === agentId,
  );
  if (agents.length > 0) changeCall(draft, agentId, call.id, { agents: agents.map(summariseAgent) });
  finishCalls(draft, agentId, at);
}

/** The effect of a result on its call. */
export function describeCallEnd(
  call: ShownCall,
  result: ToolResultBlock,
  toolData: unknown,
): Partial<ShownCall> {
  const isError = result.is_error === true;
  const told = reportedDiff(toolData, call.diff);
  return {
    state: !isError ? 'done' : call.denial === null ? 'failed' : 'denied',
    progress: '',
    result: buildExcerpt(textOf(result.content), maxResult),
    diff: isError ? null : told === undefined ? call.diff : told,
  };
}

/** Closes the calls that are still open: nothing more will come from them. */
export function loseCalls(draft: Draft, agentId: string | null, at: number): void {
  const { calls } = draft.conversation(agentId).live;
  if (calls.length === 0) return;
  const isOpen = ({ result }: ShownCall) => result === null;
  draft.setLive(agentId, {
    calls: calls.map((call) => (isOpen(call) ? { ...call, state: 'lost', progress: '', diff: null } : call)),
  });
  finishCalls(draft, agentId, at);
}

function finishCalls(draft: Draft, agentId: string | null, at: number): void {
  const { entries, rest } = takeOver(draft.conversation(agentId).live.calls, at);
  if (entries.length === 0) return;
  draft.setLive(agentId, { calls: rest });
  draft.add(agentId, entries);
}
