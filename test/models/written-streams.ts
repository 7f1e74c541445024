import type { RecordedStream } from './streams.ts';
import { wireNamed } from './wires.ts';

/**
 * Answers in the shapes that the providers' public documentation shows and our fake one does not send: pings, blocks
 * that nobody asked for, other line ends, comments, several events in one line end, usage where it is least expected.
 */
export function writtenStreams(): RecordedStream[] {
  const encode = (text: string) => new TextEncoder().encode(text);
  return [
    { name: 'anthropic written', wire: wireNamed('anthropic'), bytes: encode(messages.map(named).join('')) },
    {
      name: 'anthropic written with other line ends',
      wire: wireNamed('anthropic'),
      bytes: encode(
        messages.map((event) => `: keep alive\r\n${named(event).replaceAll('\n', '\r\n')}`).join(''),
      ),
    },
    {
      name: 'openai written',
      wire: wireNamed('openai'),
      bytes: encode(
        `: PROCESSING\n\n${chunks.map((chunk) => `data:${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
      ),
    },
    { name: 'responses written', wire: wireNamed('responses'), bytes: encode(responses.map(named).join('')) },
    {
      name: 'google written',
      wire: wireNamed('google'),
      bytes: encode(candidates.map((part) => `data: ${JSON.stringify(part)}\r\n\r\n`).join('')),
    },
  ];
}

function named(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

const messages = [
  {
    type: 'message_start',
    message: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 472,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: null,
        output_tokens: 2,
      },
    },
  },
  { type: 'ping' },
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{"query":"wea' },
  },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Okay — 天気' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation: { type: 'x' } } },
  { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '.\u2028' } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'content_block_start',
    index: 2,
    content_block: { type: 'tool_use', id: 'toolu_01', name: 'Read', input: {} },
  },
  { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '{"location": "San' },
  },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: ' \\u00fc}\\"' },
  },
  {
    type: 'content_block_delta',
    index: 2,
    delta: { type: 'input_json_delta', partial_json: '", "n": [{}]}' },
  },
  { type: 'content_block_stop', index: 2 },
  { type: 'something_new', detail: { any: 'thing' } },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 89 },
  },
  { type: 'message_stop' },
];

const envelope = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'some-model',
  system_fingerprint: null,
};

function chunk(delta: object, finish_reason: string | null = null) {
  return { ...envelope, choices: [{ index: 0, delta, logprobs: null, finish_reason }] };
}

function argumentsPiece(index: number, text: string) {
  return chunk({ tool_calls: [{ index, function: { arguments: text } }] });
}

/** Calls side by side, whose pieces come in turns; usage in a chunk of its own. */
const chunks = [
  chunk({ role: 'assistant', content: null }),
  chunk({ reasoning_content: 'Näh' }),
  chunk({ content: 'So:' }),
  chunk({
    tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'Read', arguments: '' } }],
  }),
  argumentsPiece(0, '{"city":"Par'),
  chunk({
    tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'Read', arguments: '' } }],
  }),
  argumentsPiece(1, '{"q":"\\"}{'),
  argumentsPiece(0, 'is \\u2028🙂"}'),
  argumentsPiece(1, '"}'),
  chunk({}, 'tool_calls'),
  {
    ...envelope,
    choices: [],
    usage: {
      prompt_tokens: 82,
      completion_tokens: 17,
      total_tokens: 99,
      prompt_tokens_details: { cached_tokens: 64 },
    },
  },
];

const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.2', output: [] };
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
const called = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'Read', status: 'completed' };
const spent = {
  input_tokens: 37,
  input_tokens_details: { cached_tokens: 12 },
  output_tokens: 11,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 48,
};

/** A text with its parts and annotations, a call, and events that nobody knows yet. */
const responses = [
  { type: 'response.created', response: { ...response, status: 'in_progress' } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...message, status: 'in_progress', content: [] },
  },
  {
    type: 'response.content_part.added',
    output_index: 0,
    item_id: 'msg_1',
    content_index: 0,
    part: { type: 'output_text', text: '' },
  },
  { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'Gut, ' },
  {
    type: 'response.output_text.delta',
    output_index: 0,
    item_id: 'msg_1',
    content_index: 0,
    delta: '了解 🙂',
  },
  {
    type: 'response.output_text.done',
    output_index: 0,
    item_id: 'msg_1',
    content_index: 0,
    text: 'Gut, 了解 🙂',
  },
  { type: 'response.something.new', output_index: 0, detail: true },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { ...message, content: [{ type: 'output_text', text: 'Gut, 了解 🙂', annotations: [] }] },
  },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { ...called, status: 'in_progress', arguments: '' },
  },
  { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_1', delta: '{"path":"/ü' },
  { type: 'response.function_call_arguments.delta', output_index: 1, item_id: 'fc_1', delta: '\\n"}' },
  { type: 'response.output_item.done', output_index: 1, item: { ...called, arguments: '{"path":"/ü\\n"}' } },
  { type: 'response.completed', response: { ...response, status: 'completed', usage: spent } },
];

const counted = { promptTokenCount: 20, candidatesTokenCount: 9, totalTokenCount: 29, thoughtsTokenCount: 3 };

function candidate(parts: object[], more: object = {}) {
  const content = { role: 'model', parts };
  return {
    candidates: [{ content, index: 0, ...more }],
    usageMetadata: counted,
    modelVersion: 'gemini-2.5-pro',
    responseId: 'r1',
  };
}

/** Thoughts, a text and two calls in one part list; the reason for the end comes with the last of them. */
const candidates = [
  candidate([{ text: 'Überlegung', thought: true }]),
  candidate([{ text: 'Also: ' }]),
  candidate([
    { text: '東京' },
    { functionCall: { name: 'Read', args: { a: '"\\', b: [1, { c: null }] } }, thoughtSignature: 'c2ln' },
  ]),
  candidate([{ functionCall: { name: 'Read', args: {} } }], { finishReason: 'STOP', safetyRatings: [] }),
];
