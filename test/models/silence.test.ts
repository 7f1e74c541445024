import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import { watchSilence } from '../../src/models/silence.ts';
import { fakeProvider, hang, say } from '../../src/testing/index.ts';

test('every sign of life starts the wait anew', () => {
  const clock = manualClock();
  const watch = watchSilence(new AbortController().signal, clock, 100);
  clock.advance(90);
  watch.heard();
  clock.advance(90);
  expect(watch.signal.aborted).toBe(false);
  clock.advance(20);
  expect(watch.signal.aborted).toBe(true);
});

test("the caller's signal ends it too, and a released watch keeps no timer", () => {
  const clock = manualClock();
  const caller = new AbortController();
  const watch = watchSilence(caller.signal, clock, 100);
  caller.abort();
  expect(watch.signal.aborted).toBe(true);
  watch.release();
  expect(clock.untilNext()).toBeUndefined();
});

test('G8 a server that falls silent in the middle of an answer becomes a failure of the network', async () => {
  const clock = manualClock();
  await using provider = await fakeProvider({ script: [hang(say('I was about to'))] });
  const env = { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'secret-key-1' };
  const model = resolveModel('anthropic/claude-x', { env, keys: memoryKeyStore(), clock });
  if (!model.ok) throw new Error(model.problem.message);
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
    maxOutputTokens: 100,
    thinking: { type: 'off' as const },
  };
  let last: unknown;
  for await (const event of model.value.stream(request, new AbortController().signal)) {
    last = event;
    if (event.type === 'block_delta') setImmediate(() => clock.advance(6 * 60_000));
  }
  expect(last).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
});
