import type { AssistantMessage, ModelFailure, StopReason, ToolUseBlock } from '../../protocol/index.ts';
import { textOf, toolUses } from '../../protocol/index.ts';
import { pieces } from '../answers.ts';
import type { Dialect, WireAnswer, WireObject } from './dialect.ts';
import { isObject } from './dialect.ts';
import { openaiLimitHeaders } from './limit-headers.ts';
import { openaiViolations } from './openai-checks.ts';
import { parseOpenai } from './openai-request.ts';

/** The Chat Completions API, as local servers and gateways speak it. */
export const openaiDialect: Dialect = {
  path: '/v1/chat/completions',
  violations: openaiViolations,
  parse: parseOpenai,
  *frames(answer, ends) {
    const { message, body } = answer;
    yield choice(answer, { role: 'assistant', content: '' });
    for (const text of pieces(joinThinking(message))) yield choice(answer, { reasoning_content: text });
    for (const content of pieces(textOf(message.content))) yield choice(answer, { content });
    for (const [index, use] of toolUses(message).entries()) yield* callFrames(answer, use, index);
    if (!ends) return;
    yield choice(answer, {}, finishReason(message.stop_reason));
    if (isObject(body.stream_options) && body.stream_options.include_usage === true) {
      yield frame(answer, { choices: [], usage: buildUsage(message) });
    }
    yield 'data: [DONE]\n\n';
  },
  whole: (answer) => ({
    ...envelope(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: wholeMessage(answer.message),
        finish_reason: finishReason(answer.message.stop_reason),
      },
    ],
    usage: buildUsage(answer.message),
  }),
  error: (failure, status) => ({
    error: { message: failure.message, type: errorType(status), param: null, code: errorCode(failure) },
  }),
  limitHeaders: openaiLimitHeaders,
};

function* callFrames(answer: WireAnswer, use: ToolUseBlock, index: number): Generator<string> {
  const start = { index, id: use.id, type: 'function', function: { name: use.name, arguments: '' } };
  yield choice(answer, { tool_calls: [start] });
  for (const part of pieces(JSON.stringify(use.input))) {
    yield choice(answer, { tool_calls: [{ index, function: { arguments: part } }] });
  }
}

function choice(answer: WireAnswer, delta: WireObject, finish: string | null = null): string {
  return frame(answer, { choices: [{ index: 0, delta, finish_reason: finish }] });
}

function frame(answer: WireAnswer, data: WireObject): string {
  return `data: ${JSON.stringify({ ...envelope(answer, 'chat.completion.chunk'), ...data })}\n\n`;
}

function envelope({ message, body }: WireAnswer, object: string): WireObject {
  return { id: message.id, object, created: 0, model: body.model };
}

function wholeMessage(message: AssistantMessage): WireObject {
  const uses = toolUses(message).map((use) => ({
    id: use.id,
    type: 'function',
    function: { name: use.name, arguments: JSON.stringify(use.input) },
  }));
  const thinking = joinThinking(message);
  return {
    role: 'assistant',
    content: textOf(message.content),
    reasoning_content: thinking || undefined,
    tool_calls: uses.length > 0 ? uses : undefined,
  };
}

function joinThinking(message: AssistantMessage): string {
  return message.content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('');
}

function buildUsage({ usage }: AssistantMessage): WireObject {
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cache_read_input_tokens },
  };
}

function finishReason(reason: StopReason): string {
  if (reason === 'tool_use') return 'tool_calls';
  if (reason === 'max_tokens') return 'length';
  return reason === 'refusal' ? 'content_filter' : 'stop';
}

function errorType(status: number): string {
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function errorCode(failure: ModelFailure): string | null {
  return errorCodes[failure.kind] ?? null;
}

const errorCodes: Partial<Record<ModelFailure['kind'], string>> = {
  authentication: 'invalid_api_key',
  billing: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  context_overflow: 'context_length_exceeded',
  model_not_found: 'model_not_found',
};
