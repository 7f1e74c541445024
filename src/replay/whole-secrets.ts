import type { BlockDelta, ModelEvent } from '../protocol/index.ts';

/**
 * The same events, in pieces such that no secret is split between two: if a piece ends with the possible beginning of
 * one, that end comes with the next piece. So each piece can be masked on its own.
 */
export async function* keepSecretsWhole(
  events: AsyncIterable<ModelEvent>,
  secrets: readonly string[],
): AsyncGenerator<ModelEvent> {
  if (secrets.length === 0) return yield* events;
  const held = new Map<string, Held>();
  for await (const event of events) {
    if (event.type === 'block_delta') {
      const delta = releaseDelta(event.index, event.delta, held, secrets);
      if (delta) yield { ...event, delta };
      continue;
    }
    if (endsBlocks(event)) {
      for (const { index, delta } of held.values()) yield { type: 'block_delta', index, delta };
      held.clear();
    }
    yield event;
  }
}

interface Held {
  index: number;
  delta: BlockDelta;
}

function endsBlocks({ type }: ModelEvent): boolean {
  return type === 'block_ended' || type === 'response_ended' || type === 'response_failed';
}

/** The part of a piece that can be passed on, together with what was held back before it. */
function releaseDelta(
  index: number,
  delta: BlockDelta,
  held: Map<string, Held>,
  secrets: readonly string[],
): BlockDelta | undefined {
  const key = `${index} ${delta.type}`;
  const before = held.get(key);
  const text = (before ? readDeltaText(before.delta) : '') + readDeltaText(delta);
  const end = lastSafePlace(text, secrets);
  if (end < text.length) held.set(key, { index, delta: withText(delta, text.slice(end)) });
  else held.delete(key);
  return end > 0 || text === '' ? withText(delta, text.slice(0, end)) : undefined;
}

/** Before the longest end of the text that begins a secret, and before a secret that this would cut. */
function lastSafePlace(text: string, secrets: readonly string[]): number {
  const longest = Math.max(...secrets.map((secret) => secret.length)) - 1;
  let place = Math.max(0, text.length - longest);
  while (place < text.length && !secrets.some((secret) => secret.startsWith(text.slice(place)))) place++;
  for (const secret of secrets) {
    const start = text.lastIndexOf(secret, place - 1);
    if (start >= 0 && start < place && start + secret.length > place) place = start;
  }
  return place;
}

function readDeltaText(delta: BlockDelta): string {
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
