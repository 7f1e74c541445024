import type { Step } from '../steps.ts';

/** A whole answer in the stream of the Anthropic Messages API. */
export function anthropicStream(step: Step, index: number): string {
  const message = {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-bench',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 100,
      output_tokens: 1,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  };
  const [block, delta] = contentOf(step, index);
  return [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: step.kind === 'text' ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: 20 },
    },
    { type: 'message_stop' },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function contentOf(step: Step, index: number): [object, object] {
  if (step.kind === 'text')
    return [
      { type: 'text', text: '' },
      { type: 'text_delta', text: step.text },
    ];
  return [
    { type: 'tool_use', id: `toolu_${index}`, name: step.call.name, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(step.call.input) },
  ];
}
