import type { Step } from '../steps.ts';

/** A whole answer in the stream of the OpenAI Responses API: the least that Codex needs. */
export function responsesStream(step: Step, index: number): string {
  const response = { id: `resp_${index}`, object: 'response', status: 'in_progress', output: [] };
  const item = itemOf(step, index);
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [item], usage } },
  ]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

function itemOf(step: Step, index: number): object {
  if (step.kind === 'text')
    return {
      type: 'message',
      id: `msg_${index}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: step.text, annotations: [] }],
    };
  return {
    type: 'function_call',
    id: `fc_${index}`,
    call_id: `call_${index}`,
    name: step.call.name,
    arguments: JSON.stringify(step.call.input),
    status: 'completed',
  };
}
