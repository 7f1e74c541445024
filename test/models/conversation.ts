import type {
  AssistantMessage,
  Message,
  Model,
  ModelEvent,
  ModelFailure,
  ModelRequest,
  UserMessage,
} from '../../src/protocol/index.ts';

const usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export function request(messages: Message[] = [user('Begin, "please" \u2028 …')]): ModelRequest {
  return {
    system: ['You are stable.', 'Environment: none.'],
    tools: ['Read', 'Bash'].map((name) => ({
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { file_path: { type: 'string' } } },
    })),
    messages,
    maxOutputTokens: 4_000,
    thinking: { type: 'adaptive' },
  };
}

/** A conversation in which somebody, perhaps another model, has answered this already. */
export function continued(content: AssistantMessage['content'] | Message['content']): ModelRequest {
  const answer = { role: 'assistant' as const, id: '', model: '', stop_reason: 'end_turn' as const, usage };
  return request([
    user('one'),
    { ...answer, content: content as AssistantMessage['content'] },
    replyTo({ ...answer, content: content as AssistantMessage['content'] }),
  ]);
}

export async function collect(model: Model, asked: ModelRequest): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

export function messageOf(events: readonly ModelEvent[]): AssistantMessage {
  const last = events.at(-1);
  if (last?.type === 'response_ended') return last.message;
  throw new Error(`expected an answer, got ${JSON.stringify(last)}`);
}

export function failureOf(events: readonly ModelEvent[]): ModelFailure | undefined {
  const last = events.at(-1);
  return last?.type === 'response_failed' ? last.failure : undefined;
}

/** Plays a whole session: prompts, answers and tool results, the messages array growing as in the loop. */
export async function converse(model: Model, turns: number): Promise<Message[]> {
  const asked = request();
  const messages = asked.messages as Message[];
  for (let turn = 0; turn < turns; turn++) {
    const message = messageOf(await collect(model, asked));
    messages.push(message, replyTo(message));
  }
  return messages;
}

function user(text: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function replyTo(message: AssistantMessage): UserMessage {
  const uses = message.content.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) return user('Go on.');
  return {
    role: 'user',
    content: uses.map((use, index) => ({
      type: 'tool_result',
      tool_use_id: use.id,
      content: [{ type: 'text', text: `result ${index}` }],
      ...(index > 0 ? { is_error: true } : {}),
    })),
  };
}
