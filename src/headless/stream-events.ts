import type { AssistantBlock, BlockDelta, ModelEvent } from '../protocol/index.ts';
import { noUsage } from '../protocol/index.ts';

/** Our streamed pieces as Messages-API stream events, for `stream_event` frames. */
export function buildStreamEvents(event: ModelEvent): object[] {
  switch (event.type) {
    case 'response_started':
      return [{ type: 'message_start', message: emptyMessage(event.id, event.model) }];
    case 'block_started':
      return [{ type: 'content_block_start', index: event.index, content_block: opened(event.block) }];
    case 'block_delta':
      return [{ type: 'content_block_delta', index: event.index, delta: buildDelta(event.delta) }];
    case 'block_ended':
      return [{ type: 'content_block_stop', index: event.index }];
    case 'response_ended':
      return [
        {
          type: 'message_delta',
          delta: { stop_reason: event.message.stop_reason, stop_sequence: null },
          usage: event.message.usage,
        },
        { type: 'message_stop' },
      ];
    default:
      return [];
  }
}

function emptyMessage(id: string, model: string) {
  const message = { id, type: 'message', role: 'assistant', model, content: [] };
  return { ...message, stop_reason: null, stop_sequence: null, usage: noUsage };
}

function opened(block: AssistantBlock): AssistantBlock {
  return block.type === 'tool_use' ? { ...block, input: {} } : block;
}

function buildDelta(delta: BlockDelta): object {
  switch (delta.type) {
    case 'text':
      return { type: 'text_delta', text: delta.text };
    case 'thinking':
      return { type: 'thinking_delta', thinking: delta.thinking };
    case 'signature':
      return { type: 'signature_delta', signature: delta.signature };
    case 'tool_input':
      return { type: 'input_json_delta', partial_json: delta.json };
  }
}
