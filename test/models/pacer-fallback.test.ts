import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { withFallback } from '../../src/models/fallback.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { ModelEvent } from '../../src/protocol/index.ts';
import { failWith, say, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { collect, drive, limited, only, requestOf } from './pacer-support.ts';

function pair(first: Turn[], second: Turn[], afterMs?: number) {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const [a, b] = [scriptedModel(first, { id: 'test/first' }), scriptedModel(second, { id: 'test/second' })];
  const options = afterMs === undefined ? {} : { afterMs };
  const model = withFallback(withPacer(a, pacer), withPacer(b, pacer), options);
  return { clock, model, first: a, second: b };
}

const forAMinute = failWith({ ...limited, retryAfterMs: 60_000 });

test('G6: when the wait is long the fallback answers, and says why', async () => {
  const { model, clock, first, second } = pair([forAMinute], [say('instead')]);
  const events = await collect(model);
  expect(only(events, 'fallback_taken')).toEqual([
    { type: 'fallback_taken', from: 'test/first', to: 'test/second', reason: 'slow down' },
  ]);
  expect(only(events, 'request_retried')).toMatchObject([{ isLast: true }]);
  expect(textOf(events)).toBe('instead');
  expect(clock.monotonic()).toBe(0);
  first.assertConsumed();
  second.assertConsumed();
});

test('the next request asks the first model again: still held it goes to the fallback, later it does not', async () => {
  const { model, clock } = pair([forAMinute, say('back again')], [say('instead'), say('instead too')]);
  expect(textOf(await collect(model))).toBe('instead');
  const held = await collect(model);
  expect(only(held, 'fallback_taken')[0]?.reason).toBe(
    'Rate limit: test/first accepts requests again in 60 s',
  );
  expect(textOf(held)).toBe('instead too');
  clock.advance(60_000);
  expect(textOf(await drive(clock, collect(model)))).toBe('back again');
});

test('a short wait is waited', async () => {
  const { model, clock } = pair([failWith(limited), say('patience')], []);
  const events = await drive(clock, collect(model));
  expect(only(events, 'request_retried')[0]).not.toHaveProperty('isLast');
  expect(textOf(events)).toBe('patience');
  expect(only(events, 'fallback_taken')).toEqual([]);
});

test('a fallback that cannot answer does not make the request fail', async () => {
  const refused = failWith({ kind: 'authentication', message: 'no key' });
  const { model, clock } = pair([forAMinute, say('after all')], [refused]);
  const events = await drive(clock, collect(model));
  expect(only(events, 'fallback_taken').map(({ to }) => to)).toEqual(['test/second', 'test/first']);
  expect(textOf(events)).toBe('after all');
  expect(clock.monotonic()).toBe(60_000);
});

test('a fallback that asks for even more patience is not waited for', async () => {
  const { model, clock } = pair(
    [forAMinute, say('after all')],
    [failWith({ ...limited, retryAfterMs: 90_000 })],
  );
  expect(textOf(await drive(clock, collect(model)))).toBe('after all');
  expect(clock.monotonic()).toBe(60_000);
});

test('the fallback is not asked for more than it can do', async () => {
  const clock = manualClock();
  const pacer = new Pacer({ clock, random: () => 0 });
  const small = scriptedModel([say('short')], { id: 'test/small', facts: { maxOutput: 10 } });
  const model = withFallback(withPacer(scriptedModel([forAMinute]), pacer), withPacer(small, pacer));
  await collect(model, { ...requestOf(), maxOutputTokens: 1_000 });
  expect(small.requests[0]?.maxOutputTokens).toBe(10);
});

test('how long is too long can be said', async () => {
  const { model } = pair([failWith(limited)], [say('instead')], 5_000);
  expect(textOf(await collect(model))).toBe('instead');
});

function textOf(events: readonly ModelEvent[]): string {
  const [block] = only(events, 'response_ended')[0]?.message.content ?? [];
  return block?.type === 'text' ? block.text : '';
}
