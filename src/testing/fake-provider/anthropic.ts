import type { AssistantBlock, ModelFailure } from '../../protocol/index.ts';
import { pieces } from '../answers.ts';
import { anthropicViolations } from './anthropic-checks.ts';
import { parseAnthropic } from './anthropic-request.ts';
import { type Dialect, formatEvent, type WireAnswer, type WireObject } from './dialect.ts';
import { anthropicLimitHeaders } from './limit-headers.ts';

/** The Messages API. */
export const anthropicDialect: Dialect = {
  path: '/v1/messages',
  violations: anthropicViolations,
  parse: parseAnthropic,
  *frames(answer, ends) {
    const { usage } = answer.message;
    yield formatEvent('message_start', {
      message: { ...envelope(answer), content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    });
    for (const [index, block] of answer.message.content.entries()) yield* blockFrames(block, index);
    if (!ends) return;
    yield formatEvent('message_delta', {
      delta: { stop_reason: answer.message.stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    });
    yield formatEvent('message_stop', {});
  },
  whole: (answer) => ({ ...envelope(answer), content: answer.message.content, usage: answer.message.usage }),
  error: (failure, status) => ({
    type: 'error',
    error: { type: errorType(failure, status), message: failure.message },
    request_id: 'req_fake',
  }),
  limitHeaders: anthropicLimitHeaders,
};

function envelope({ message, body }: WireAnswer): WireObject {
  const { id, stop_reason } = message;
  return { id, type: 'message', role: 'assistant', model: body.model, stop_reason, stop_sequence: null };
}

function* blockFrames(block: AssistantBlock, index: number): Generator<string> {
  yield formatEvent('content_block_start', { index, content_block: opening(block) });
  for (const delta of deltas(block)) yield formatEvent('content_block_delta', { index, delta });
  yield formatEvent('content_block_stop', { index });
}

function opening(block: AssistantBlock): WireObject {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  if (block.type === 'tool_use') return { ...block, input: {} };
  return { ...block };
}

function* deltas(block: AssistantBlock): Generator<WireObject> {
  if (block.type === 'text') {
    for (const text of pieces(block.text)) yield { type: 'text_delta', text };
  } else if (block.type === 'thinking') {
    for (const thinking of pieces(block.thinking)) yield { type: 'thinking_delta', thinking };
    if (block.signature) yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'tool_use') {
    const json = JSON.stringify(block.input);
    for (const partial_json of json === '{}' ? [''] : pieces(json))
      yield { type: 'input_json_delta', partial_json };
  }
}

function errorType(failure: ModelFailure, status: number): string {
  return errorTypes[status] ?? (failure.kind === 'overloaded' ? 'overloaded_error' : 'api_error');
}

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
