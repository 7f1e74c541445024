import {
  type AssistantBlock,
  type AssistantMessage,
  type ModelFailure,
  promptTokens,
} from '../../protocol/index.ts';
import { pieces } from '../answers.ts';
import { type Dialect, formatEvent, nameOpenaiError, type WireAnswer, type WireObject } from './dialect.ts';
import { openaiLimitHeaders } from './limit-headers.ts';
import { parseResponses, responsesViolations } from './responses-request.ts';

/** OpenAI's Responses API. Thinking is a sealed item with a summary: the seal is the signature of our block. */
export const responsesDialect: Dialect = {
  path: '/v1/responses',
  violations: responsesViolations,
  parse: parseResponses,
  *frames(answer, ends) {
    const { message } = answer;
    yield formatEvent('response.created', { response: envelope(answer, 'in_progress') });
    yield formatEvent('response.in_progress', { response: envelope(answer, 'in_progress') });
    for (const [index, block] of message.content.entries()) yield* itemFrames(message, block, index);
    if (!ends) return;
    const isCut = incompleteReason(message) !== undefined;
    const status = isCut ? 'incomplete' : 'completed';
    yield formatEvent(`response.${status}`, { response: whole(answer, status) });
  },
  whole: (answer) => whole(answer, 'completed'),
  error: (failure, status) => ({
    error: { message: failure.message, type: nameOpenaiError(status), param: null, code: errorCode(failure) },
  }),
  streamError: (failure, status) => ({
    type: 'error',
    sequence_number: 0,
    code: nameOpenaiError(status),
    message: failure.message,
    param: null,
  }),
  limitHeaders: openaiLimitHeaders,
};

function* itemFrames(message: AssistantMessage, block: AssistantBlock, index: number): Generator<string> {
  const item = buildItem(message, block, index);
  const place = { output_index: index, item_id: item.id };
  yield formatEvent('response.output_item.added', {
    output_index: index,
    item: { ...item, ...opening(block) },
  });
  if (block.type === 'thinking' && block.thinking) yield* summaryFrames(block.thinking, place);
  if (block.type === 'text') {
    const isRefusal = message.stop_reason === 'refusal';
    const type = isRefusal ? 'response.refusal.delta' : 'response.output_text.delta';
    for (const delta of pieces(block.text)) yield formatEvent(type, { ...place, content_index: 0, delta });
  }
  if (block.type === 'tool_use') {
    for (const delta of pieces(JSON.stringify(block.input)))
      yield formatEvent('response.function_call_arguments.delta', { ...place, delta });
  }
  yield formatEvent('response.output_item.done', { output_index: index, item });
}

function* summaryFrames(text: string, place: WireObject): Generator<string> {
  const part = { ...place, summary_index: 0 };
  yield formatEvent('response.reasoning_summary_part.added', part);
  for (const delta of pieces(text))
    yield formatEvent('response.reasoning_summary_text.delta', { ...part, delta });
  yield formatEvent('response.reasoning_summary_part.done', part);
}

function buildItem(message: AssistantMessage, block: AssistantBlock, index: number): WireObject {
  const id = `${message.id}_${index}`;
  if (block.type === 'text') {
    const content = [{ type: 'output_text', text: block.text, annotations: [] }];
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content };
  }
  if (block.type === 'tool_use') {
    const { id: call_id, name } = block;
    const called = { call_id, name, arguments: JSON.stringify(block.input) };
    return { type: 'function_call', id: `fc_${id}`, status: 'completed', ...called };
  }
  const thinking = block.type === 'thinking' ? block.thinking : '';
  return {
    type: 'reasoning',
    id: `rs_${id}`,
    summary: thinking ? [{ type: 'summary_text', text: thinking }] : [],
    encrypted_content: (block.type === 'thinking' ? block.signature : block.data) ?? null,
  };
}

/** Items begin empty. */
function opening(block: AssistantBlock): WireObject {
  if (block.type === 'text') return { content: [], status: 'in_progress' };
  if (block.type === 'tool_use') return { arguments: '', status: 'in_progress' };
  return { summary: [], encrypted_content: null };
}

function whole(answer: WireAnswer, status: string): WireObject {
  const { message } = answer;
  const reason = incompleteReason(message);
  return {
    ...envelope(answer, status),
    output: message.content.map((block, index) => buildItem(message, block, index)),
    incomplete_details: reason ? { reason } : null,
    usage: buildUsage(message),
  };
}

function envelope({ message, body }: WireAnswer, status: string): WireObject {
  return { id: `resp_${message.id}`, object: 'response', created_at: 0, model: body.model, status };
}

function incompleteReason({ stop_reason, content }: AssistantMessage): string | undefined {
  if (stop_reason === 'max_tokens') return 'max_output_tokens';
  return stop_reason === 'refusal' && content.length === 0 ? 'content_filter' : undefined;
}

function buildUsage({ usage }: AssistantMessage): WireObject {
  const input = promptTokens(usage);
  return {
    input_tokens: input,
    output_tokens: usage.output_tokens,
    total_tokens: input + usage.output_tokens,
    input_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
    output_tokens_details: { reasoning_tokens: 0 },
  };
}

function errorCode({ kind }: ModelFailure): string | null {
  if (kind === 'authentication') return 'invalid_api_key';
  return kind === 'context_overflow' ? 'context_length_exceeded' : null;
}
