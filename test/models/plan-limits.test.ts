import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { ModelEvent } from '../../src/protocol/index.ts';

const now = Date.UTC(2026, 10, 18, 10);

/** Over the wire, since the library that reads the answer drops fields of an error that it does not know. */
async function refuse(wire: 'chat' | 'responses', error: object) {
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => Response.json({ error }, { status: 429 }),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const fetch = (address: string | URL | Request, init?: RequestInit) =>
    globalThis.fetch(String(address).replace('https://api.openai.com', url), init);
  const env = { OPENAI_API_KEY: 'test-key', ...(wire === 'chat' ? { OPENAI_BASE_URL: `${url}/v1` } : {}) };
  const model = resolveModel('openai/gpt-5.5', {
    ...{ env, keys: memoryKeyStore(), clock: manualClock(now), fetch },
  });
  if (!model.ok) throw new Error(model.problem.message);
  const request = {
    ...{ system: [], tools: [], maxOutputTokens: 100, thinking: { type: 'off' as const } },
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }],
  };
  const events: ModelEvent[] = [];
  for await (const event of model.value.stream(request, new AbortController().signal)) events.push(event);
  const last = events.at(-1);
  return last?.type === 'response_failed' ? last.failure : last;
}

const limit = { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'plus' };

for (const wire of ['chat', 'responses'] as const) {
  test.each([
    ['seconds', { ...limit, resets_in_seconds: 18_000 }],
    ['a time', { ...limit, resets_at: now / 1_000 + 18_000 }],
    ['seconds, for another type', { ...limit, type: 'tokens', resets_in_seconds: 18_000 }],
  ])(`G13 a plan's limit with a reset in %s is waited for (${wire})`, async (_, error) => {
    expect(await refuse(wire, error)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 18_000_000 });
  });

  test(`G13 a plan's limit without a reset is for the user (${wire})`, async () => {
    expect(await refuse(wire, limit)).toMatchObject({ kind: 'billing' });
  });
}
