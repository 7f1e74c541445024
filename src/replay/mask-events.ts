import type { BlockDelta, ModelEvent } from '../protocol/index.ts';
import type { Mask } from './mask.ts';

/** The events without secrets, also those that come in two pieces: a piece that may begin one is held back. */
export async function* maskEvents(events: AsyncIterable<ModelEvent>, mask: Mask): AsyncGenerator<ModelEvent> {
  if (mask.secrets.length === 0) return yield* events;
  const held = new Map<string, Held>();
  for await (const event of events) {
    if (event.type === 'block_delta') {
      const safe = safeDelta(event.index, event.delta, held, mask);
      if (safe) yield { ...event, delta: safe };
      continue;
    }
    if (endsBlocks(event)) {
      for (const { index, delta } of held.values()) yield { type: 'block_delta', index, delta };
      held.clear();
    }
    yield mask.hideIn(event);
  }
}

interface Held {
  index: number;
  delta: BlockDelta;
}

function endsBlocks({ type }: ModelEvent): boolean {
  return type === 'block_ended' || type === 'response_ended' || type === 'response_failed';
}

function safeDelta(
  index: number,
  delta: BlockDelta,
  held: Map<string, Held>,
  mask: Mask,
): BlockDelta | undefined {
  const key = `${index} ${delta.type}`;
  const before = held.get(key);
  const text = mask.hide((before ? textOfDelta(before.delta) : '') + textOfDelta(delta));
  const from = beginningOfSecret(text, mask.secrets);
  if (from < text.length) held.set(key, { index, delta: withText(delta, text.slice(from)) });
  else held.delete(key);
  return from > 0 || text === '' ? withText(delta, text.slice(0, from)) : undefined;
}

/** Where the longest end of the text begins that is the beginning of a secret. */
function beginningOfSecret(text: string, secrets: readonly string[]): number {
  const longest = Math.max(...secrets.map((secret) => secret.length)) - 1;
  for (let from = Math.max(0, text.length - longest); from < text.length; from++)
    if (secrets.some((secret) => secret.startsWith(text.slice(from)))) return from;
  return text.length;
}

function textOfDelta(delta: BlockDelta): string {
  if (delta.type === 'text') return delta.text;
  if (delta.type === 'thinking') return delta.thinking;
  return delta.type === 'signature' ? delta.signature : delta.json;
}

function withText(delta: BlockDelta, text: string): BlockDelta {
  if (delta.type === 'text') return { type: 'text', text };
  if (delta.type === 'thinking') return { type: 'thinking', thinking: text };
  return delta.type === 'signature'
    ? { type: 'signature', signature: text }
    : { type: 'tool_input', json: text };
}
