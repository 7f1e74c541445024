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
