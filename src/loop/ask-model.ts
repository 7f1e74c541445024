import type {
  AgentEvent,
  AssistantBlock,
  AssistantMessage,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  Usage,
} from '../protocol/index.ts';
import { addUsage, noUsage } from '../protocol/index.ts';
import { type AgentContext, markEvent } from './agent-context.ts';
import { roomForAnswer } from './context-room.ts';
import { listSentTools } from './refused-parts.ts';

export type ModelAnswer =
  /** `lost` is what attempts that were dropped had used. */
  | { ok: true; message: AssistantMessage; lost: Usage }
  /** `partial` is the text received before the request failed; undefined if there was none. */
  | { ok: false; failure: ModelFailure; partial?: AssistantMessage; usage: Usage };

/** One request: yields what streams in, returns the answer. Adds nothing to the conversation. */
export function askModel(agent: AgentContext): AsyncGenerator<AgentEvent, ModelAnswer> {
  return ask(agent, buildRequest(agent, {}), (event) => event.type !== 'limits_reported');
}

/** A request of the harness itself: only its progress is shown, since its answer is not part of the conversation. */
export function askQuietly(
  agent: AgentContext,
  parts: Pick<ModelRequest, 'messages' | 'maxOutputTokens'>,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  return ask(agent, buildRequest(agent, parts), () => false);
}

async function* ask(
  agent: AgentContext,
  request: ModelRequest,
  isShown: (event: ModelEvent) => boolean,
): AsyncGenerator<AgentEvent, ModelAnswer> {
  const blocks: AssistantBlock[] = [];
  let id = '';
  let lost = noUsage;
  for await (const event of agent.model.stream(request, agent.signal)) {
    if (isAboutRequest(event)) yield markEvent(agent, event);
    else if (isShown(event)) yield markEvent(agent, { type: 'model_streamed', event });
    if (event.type === 'request_retried') {
      blocks.length = 0;
      lost = addUsage(lost, event.usage ?? noUsage);
    }
    if (event.type === 'response_started') id = event.id;
    if (event.type === 'block_started') blocks[event.index] = event.block;
    if (event.type === 'block_delta') extendText(blocks, event.index, event.delta);
    if (event.type === 'block_ended') blocks[event.index] = event.block;
    if (event.type === 'response_ended') return { ok: true, message: event.message, lost };
    if (event.type === 'response_failed')
      return failed(agent, event.failure, id, blocks, addUsage(lost, event.usage ?? noUsage));
  }
  const message = `${agent.model.id} closed its stream before the answer was complete.`;
  return failed(agent, { kind: 'malformed', message }, id, blocks, lost);
}

/** Events before the answer concern the agent, not the answer. */
function isAboutRequest(
  event: ModelEvent,
): event is Extract<ModelEvent, { type: 'request_retried' | 'request_waited' | 'fallback_taken' }> {
  return (
    event.type === 'request_retried' || event.type === 'request_waited' || event.type === 'fallback_taken'
  );
}

function buildRequest(agent: AgentContext, parts: Partial<ModelRequest>): ModelRequest {
  return {
    system: agent.system,
    tools: listSentTools(agent),
    messages: agent.conversation.messages,
    maxOutputTokens: roomForAnswer(agent),
    thinking: agent.thinking,
    effort: agent.effort,
    asker: { sessionId: agent.identity.sessionId, agentId: agent.agentId, priority: agent.priority },
    ...parts,
  };
}

/** Only text is worth keeping of a cut-off answer; half a tool call or unsigned thinking is not. */
function extendText(blocks: AssistantBlock[], index: number, delta: { type: string; text?: string }): void {
  const block = blocks[index];
  if (block?.type === 'text' && delta.text !== undefined)
    blocks[index] = { type: 'text', text: block.text + delta.text };
}

function failed(
  agent: AgentContext,
  failure: ModelFailure,
  id: string,
  blocks: AssistantBlock[],
  usage: Usage,
): ModelAnswer {
  const content = blocks.filter((block) => block?.type === 'text' && block.text.trim() !== '');
  if (content.length === 0) return { ok: false, failure, usage };
  const { id: model } = agent.model;
  return {
    ok: false,
    failure,
    usage,
    partial: { role: 'assistant', id, model, content, stop_reason: 'unknown', usage },
  };
}
