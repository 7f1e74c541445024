import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { fakeProvider } from '../../src/testing/fake-provider/fake-provider.ts';
import { openLimiter } from '../../src/testing/fake-provider/limiter.ts';

const start = Date.parse('2026-01-01T00:00:00Z');

test('a full bucket is let through at once, then as fast as it fills', () => {
  const clock = manualClock();
  const limiter = openLimiter({ requestsPerMinute: 60, burst: 2 }, clock);
  expect([limiter.admit(0), limiter.admit(0)].map((admission) => admission.failure)).toEqual([
    undefined,
    undefined,
  ]);
  expect(limiter.admit(0).failure).toMatchObject({ kind: 'rate_limited', status: 429, retryAfterMs: 1_000 });
  clock.advance(999);
  expect(limiter.admit(0).failure).toMatchObject({ retryAfterMs: 1 });
  clock.advance(1);
  expect(limiter.admit(0).failure).toBeUndefined();
});

test('tokens are a bucket of their own, and a refused request takes nothing', () => {
  const clock = manualClock();
  const limiter = openLimiter({ requestsPerMinute: 600, tokensPerMinute: 6_000 }, clock);
  expect(limiter.admit(5_900).failure).toBeUndefined();
  const refused = limiter.admit(200);
  expect(refused.failure).toMatchObject({ retryAfterMs: 1_000 });
  expect(refused).toMatchObject({ requests: { remaining: 599 }, tokens: { remaining: 100 } });
});

test('outages take their share of the time, at the same times for the same seed', () => {
  const outAt = (seed: number) => {
    const clock = manualClock();
    const limiter = openLimiter(
      { requestsPerMinute: 1e9, outages: { seed, share: 0.2, meanMs: 5_000 } },
      clock,
    );
    return Array.from({ length: 6_000 }, () => {
      clock.advance(100);
      return limiter.admit(0).failure?.status === 529;
    });
  };
  const out = outAt(7);
  expect(out).toEqual(outAt(7));
  expect(out).not.toEqual(outAt(8));
  expect(out[0]).toBe(false);
  const share = out.filter(Boolean).length / out.length;
  expect(share).toBeGreaterThan(0.12);
  expect(share).toBeLessThan(0.28);
});

test('the provider tells its limits in the words of each wire, and when to come again', async () => {
  const clock = manualClock(start);
  await using provider = await fakeProvider({
    script: ['one', 'two'],
    limiter: { requestsPerMinute: 60, burst: 1, tokensPerMinute: 60_000 },
    clock,
  });
  const ask = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
  const post = (path: string) =>
    fetch(`${provider.url}${path}`, { method: 'POST', body: JSON.stringify(ask) });
  const first = await post('/v1/messages');
  expect(first.status).toBe(200);
  expect(first.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
  expect(first.headers.get('anthropic-ratelimit-requests-reset')).toBe('2026-01-01T00:00:01.000Z');
  const second = await post('/v1/chat/completions');
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '1']);
  expect(second.headers.get('x-ratelimit-reset-requests')).toBe('1s');
  clock.advance(1_000);
  expect((await post('/v1/chat/completions')).status).toBe(200);
  provider.assertConsumed();
});
