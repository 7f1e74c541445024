import type {
  AgentEvent,
  AssistantBlock,
  AssistantMessage,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  ToolSpec,
} from '../protocol/index.ts';
import { noUsage } from '../protocol/index.ts';
import { type AgentContext, eventOf } from './agent-context.ts';
import { describeTools } from './describe-tools.ts';

export type ModelAnswer =
  | { ok: true; message: AssistantMessage }
  /** `partial` is what had been said in full when the request failed; undefined when there was nothing. */
  | { ok: false; failure: ModelFailure; partial?: AssistantMessage };

/** One request: yields what streams in, returns the answer. Adds nothing to the conversation. */
export async function* askModel(agent: AgentContext): AsyncGenerator<AgentEvent, ModelAnswer> {
  const request = requestOf(agent, describeTools(agent.tools));
  const blocks: AssistantBlock[] = [];
  let id = '';
  for await (const event of agent.model.stream(request, agent.signal)) {
    if (isAboutRequest(event)) yield eventOf(agent, event);
    else if (event.type !== 'limits_reported') yield eventOf(agent, { type: 'model_streamed', event });
    if (event.type === 'response_started') id = event.id;
    if (event.type === 'block_started') blocks[event.index] = event.block;
    if (event.type === 'block_delta') extendText(blocks, event.index, event.delta);
    if (event.type === 'block_ended') blocks[event.index] = event.block;
    if (event.type === 'response_ended') return { ok: true, message: event.message };
    if (event.type === 'response_failed')
      return { ok: false, failure: event.failure, ...partialOf(agent, id, blocks) };
  }
  return {
    ok: false,
    failure: { kind: 'malformed', message: `${agent.model.id} ended its stream without an end.` },
    ...partialOf(agent, id, blocks),
  };
}

/** What happens to the request before there is an answer concerns the agent, not the answer. */
function isAboutRequest(
  event: ModelEvent,
): event is Extract<ModelEvent, { type: 'request_retried' | 'request_waited' | 'fallback_taken' }> {
  return (
    event.type === 'request_retried' || event.type === 'request_waited' || event.type === 'fallback_taken'
  );
}

function requestOf(agent: AgentContext, tools: readonly ToolSpec[]): ModelRequest {
  return {
    system: agent.system,
    tools,
    messages: agent.conversation.messages,
    maxOutputTokens: Math.min(agent.limits.maxOutputTokens, agent.model.facts.maxOutput),
    thinking: agent.thinking,
    asker: { sessionId: agent.sessionId, agentId: agent.agentId, priority: agent.priority },
  };
}

/** Only text is worth keeping of a cut answer; a half tool call or unsigned thinking is not. */
function extendText(blocks: AssistantBlock[], index: number, delta: { type: string; text?: string }): void {
  const block = blocks[index];
  if (block?.type === 'text' && delta.text !== undefined)
    blocks[index] = { type: 'text', text: block.text + delta.text };
}

function partialOf(
  agent: AgentContext,
  id: string,
  blocks: AssistantBlock[],
): { partial?: AssistantMessage } {
  const content = blocks.filter((block) => block?.type === 'text' && block.text.trim() !== '');
  if (content.length === 0) return {};
  return {
    partial: {
      role: 'assistant',
      id,
      model: agent.model.id,
      content,
      stop_reason: 'unknown',
      usage: noUsage,
    },
  };
}
