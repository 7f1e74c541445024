import { messageOf } from '../lib/result.ts';
import { moveRefusal } from '../permissions/moves.ts';
import { reachOf } from '../permissions/reach.ts';
import { readFilter } from '../permissions/read-filter.ts';
import { type AgentEvent, errorResult, type ToolResult } from '../protocol/index.ts';
import { addUserMessage } from './add-message.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
import { authorise } from './authorise.ts';
import { fitResult } from './fit-result.ts';
import { maskResult } from './mask-result.ts';
import type { Call, PreparedCall } from './prepare-call.ts';
import { shellFor } from './shell-for.ts';

export interface CallEnd {
  /** Why the run must end after this message's calls, if it must. */
  stop?: string;
}

/** Takes one call from judgement to its recorded result. `stop` set beforehand means: don't begin. */
export async function* runCall(
  agent: AgentContext,
  call: Call,
  stop?: string,
): AsyncGenerator<AgentEvent, CallEnd> {
  if (stop !== undefined || agent.signal.aborted)
    return yield* finish(agent, call.id, errorResult('Not run: the turn was interrupted.'));
  if (!call.ok) return yield* finish(agent, call.id, errorResult(call.reason));
  const verdict = yield* authorise(agent, call);
  if (verdict.allowed) return yield* finish(agent, call.id, yield* execute(agent, verdict.call));
  const { tool, input } = call;
  await agent.noteDenial?.({ agentId: agent.agentId, tool: tool.name, input, decision: verdict.decision });
  yield eventOf(agent, {
    type: 'permission_denied',
    toolUseId: call.id,
    toolName: tool.name,
    input,
    decision: verdict.decision,
  });
  yield* finish(agent, call.id, errorResult(verdict.message));
  return verdict.stop === undefined ? {} : { stop: verdict.stop };
}

async function* execute(agent: AgentContext, call: PreparedCall): AsyncGenerator<AgentEvent, ToolResult> {
  const { id: toolUseId, tool, input, summary } = call;
  const name = { toolUseId, toolName: tool.name };
  const start = agent.clock.monotonic();
  yield eventOf(agent, { type: 'tool_started', ...name, input, summary });
  const result = yield* runGuarded(agent, call);
  const durationMs = agent.clock.monotonic() - start;
  yield eventOf(agent, { type: 'tool_ended', ...name, isError: result.isError, durationMs });
  return result;
}

/** A tool that throws has a bug; the model reads of it and the session goes on. */
async function* runGuarded(agent: AgentContext, call: PreparedCall): AsyncGenerator<AgentEvent, ToolResult> {
  const { id: toolUseId, tool, input } = call;
  const { agentId, clock, signal, hands } = agent;
  const mayRead = readFilter(agent.permissions, tool.name);
  const reach = reachOf(agent.permissions);
  const stays = (path: string) => moveRefusal(agent.permissions, path);
  try {
    const shell = shellFor(hands.shell, call, agent.permissions, signal);
    const leadsTo = (path: string) => call.targets?.get(path);
    const context = { ...hands, shell, agentId, clock, signal, toolUseId, mayRead, reach, leadsTo };
    const running = tool.run(input, { ...context, moveRefusal: stays, unseen: call.seen !== true });
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      yield eventOf(agent, { type: 'tool_progressed', toolUseId, toolName: tool.name, progress: step.value });
    }
  } catch (error) {
    return errorResult(`${tool.name} failed unexpectedly: ${messageOf(error)}`);
  }
}

async function* finish(
  agent: AgentContext,
  id: string,
  result: ToolResult,
): AsyncGenerator<AgentEvent, CallEnd> {
  const shown = maskResult(agent.hands.secrets, result);
  const content = fitResult(agent, id, shown.content);
  yield* addUserMessage(
    agent,
    [{ type: 'tool_result', tool_use_id: id, content, ...(result.isError ? { is_error: true } : {}) }],
    { kind: 'tool-results' },
    { toolData: shown.data },
  );
  return {};
}
