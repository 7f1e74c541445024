import { isRecord } from '../../lib/fields/field-values.ts';
import {
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  type ModelFailure,
  type ModelRequest,
  promptTokens,
  type ResultContent,
  type StopReason,
  type ToolUseBlock,
  textOf,
  toolUses,
  type UserBlock,
} from '../../protocol/index.ts';
import { pieces } from '../answers.ts';
import {
  addUserBlocks,
  type Dialect,
  nameOpenaiError,
  readDataUrl,
  readObjects,
  readString,
  readTool,
  sentBack,
  type WireAnswer,
  type WireObject,
} from './dialect.ts';
import { openaiLimitHeaders } from './limit-headers.ts';

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
    if (isRecord(body.stream_options) && body.stream_options.include_usage === true) {
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
    error: { message: failure.message, type: nameOpenaiError(status), param: null, code: errorCode(failure) },
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
  const prompt = promptTokens(usage);
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

/** Errors of a Chat Completions server: the mistakes that a harness is likely to make. */
function openaiViolations(body: WireObject): string[] {
  const messages = readObjects(body.messages);
  return [
    ...(typeof body.model === 'string' && body.model ? [] : ['model: field required']),
    ...(messages.length > 0 ? [] : ['messages: at least one message is required']),
    ...messages.flatMap(messageViolations),
    ...pairingViolations(messages),
  ];
}

const roles = ['system', 'user', 'assistant', 'tool'];

function messageViolations(message: WireObject, index: number): string[] {
  return [
    ...(roles.includes(readString(message.role))
      ? []
      : [`messages.${index}: unknown role '${message.role}'`]),
    ...readObjects(message.tool_calls)
      .filter((call) => !isJson(isRecord(call.function) ? call.function.arguments : undefined))
      .map((call) => `messages.${index}: arguments of tool call ${readString(call.id)} are not JSON`),
    ...(message.role !== 'assistant' || message.content || readObjects(message.tool_calls).length > 0
      ? []
      : [`messages.${index}: an assistant message needs content or tool_calls`]),
  ];
}

/** Every call is answered by a tool message before any other message, and nothing else is. */
function pairingViolations(messages: WireObject[]): string[] {
  const wrong: string[] = [];
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = readString(message.tool_call_id);
      if (!open.delete(id)) wrong.push(`messages.${index}: tool message for unknown tool_call_id '${id}'`);
      continue;
    }
    wrong.push(...unanswered(open, index));
    open = new Set(readObjects(message.tool_calls).map((call) => readString(call.id)));
  }
  return [...wrong, ...unanswered(open, messages.length)];
}

function unanswered(open: Set<string>, index: number): string[] {
  return [...open].map((id) => `messages.${index}: tool_call_id '${id}' has no response message before it`);
}

function isJson(value: unknown): boolean {
  try {
    JSON.parse(readString(value));
    return true;
  } catch {
    return false;
  }
}

/** Converts a Chat Completions request to our types. Tool messages join the user message they belong to. */
function parseOpenai(body: WireObject): ModelRequest {
  const wire = readObjects(body.messages);
  const messages: Message[] = [];
  for (const message of wire) {
    if (message.role === 'assistant') messages.push(assistantMessage(message));
    else if (message.role !== 'system') addUserBlocks(messages, userBlocks(message));
  }
  return {
    system: wire.filter((message) => message.role === 'system').map((message) => readString(message.content)),
    tools: readObjects(body.tools).map((tool) => {
      const spec = isRecord(tool.function) ? tool.function : {};
      return readTool(spec, spec.parameters);
    }),
    messages,
    maxOutputTokens: Number(body.max_tokens ?? body.max_completion_tokens),
    thinking: { type: 'off' },
  };
}

function assistantMessage(message: WireObject): Message {
  const thinking = readString(message.reasoning_content);
  const text = readString(message.content);
  const content: AssistantBlock[] = [
    ...(thinking ? [{ type: 'thinking' as const, thinking }] : []),
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...readObjects(message.tool_calls).map(toolUse),
  ];
  return sentBack(content);
}

function toolUse(call: WireObject): AssistantBlock {
  const called = isRecord(call.function) ? call.function : {};
  return {
    type: 'tool_use',
    id: readString(call.id),
    name: readString(called.name),
    input: JSON.parse(readString(called.arguments)),
  };
}

function userBlocks(message: WireObject): UserBlock[] {
  const content = readParts(message.content);
  if (message.role !== 'tool') return content;
  return [{ type: 'tool_result', tool_use_id: readString(message.tool_call_id), content }];
}

function readParts(content: unknown): ResultContent[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return readObjects(content).map((part) =>
    part.type === 'image_url'
      ? readDataUrl(isRecord(part.image_url) ? readString(part.image_url.url) : '')
      : { type: 'text', text: readString(part.text) },
  );
}
