import { expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { readLimits } from '../../src/models/limits.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { ProviderLimits } from '../../src/protocol/index.ts';
import { fakeProvider } from '../../src/testing/index.ts';
import { collect, only, requestOf } from './pacer-support.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

function read(headers: Record<string, string>): ProviderLimits | undefined {
  return readLimits((name) => headers[name], manualClock(now));
}

test('the Messages API: counts, and the time of the reset', () => {
  const window = (name: string, limit: number, remaining: number) => ({
    [`anthropic-ratelimit-${name}-limit`]: `${limit}`,
    [`anthropic-ratelimit-${name}-remaining`]: `${remaining}`,
    [`anthropic-ratelimit-${name}-reset`]: '2026-03-01T12:00:30Z',
  });
  const headers = {
    ...window('requests', 50, 49),
    ...window('tokens', 90_000, 80_000),
    ...window('input-tokens', 50_000, 45_000),
    ...window('output-tokens', 10_000, 0),
  };
  const resetsAt = now + 30_000;
  expect(read(headers)).toEqual({
    requests: { limit: 50, remaining: 49, resetsAt },
    tokens: { limit: 90_000, remaining: 80_000, resetsAt },
    inputTokens: { limit: 50_000, remaining: 45_000, resetsAt },
    outputTokens: { limit: 10_000, remaining: 0, resetsAt },
  });
});

for (const [text, ms] of [
  ['6m0s', 360_000],
  ['1s', 1_000],
  ['20ms', 20],
  ['7.66s', 7_660],
  ['1h2m3.5s', 3_723_500],
  ['2d', 172_800_000],
  ['59.3', 59_300],
] as const) {
  test(`Chat Completions: a window that resets in ${text}`, () => {
    const limits = read({
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-tokens': text,
    });
    expect(limits).toEqual({ tokens: { limit: 150_000, remaining: 149_984, resetsAt: now + ms } });
  });
}

test('a clock that differs from the provider’s does not move the reset', () => {
  const limits = read({
    date: 'Sun, 01 Mar 2026 11:00:00 GMT',
    'anthropic-ratelimit-requests-remaining': '0',
    'anthropic-ratelimit-requests-reset': '2026-03-01T11:00:10Z',
  });
  expect(limits).toEqual({ requests: { remaining: 0, resetsAt: now + 10_000 } });
});

for (const [remaining, reset] of [
  ['many', '1s'],
  ['-1', '1s'],
  ['1e99', '1s'],
  ['5', 'soon'],
  ['5', ''],
  ['5', '2026-99-99T00:00:00Z'],
  ['', '1s'],
] as const) {
  test(`headers that make no sense are no limit: ${remaining || 'nothing'} remaining until ${reset || 'nothing'}`, () => {
    expect(read({ 'x-ratelimit-remaining-requests': remaining, 'x-ratelimit-reset-requests': reset })).toBe(
      undefined,
    );
  });
}

test('no headers, no event', () => {
  expect(read({ 'content-type': 'text/event-stream' })).toBeUndefined();
});

for (const [name, prefix, headers] of [
  [
    'anthropic/claude-sonnet-4-5',
    'ANTHROPIC',
    {
      'anthropic-ratelimit-requests-remaining': '7',
      'anthropic-ratelimit-requests-reset': '2026-03-01T12:00:30Z',
    },
  ],
  [
    'openai/some-model',
    'OPENAI',
    { 'x-ratelimit-remaining-requests': '7', 'x-ratelimit-reset-requests': '30s' },
  ],
] as const) {
  test(`${prefix.toLowerCase()}: a refusal over the wire reports its limits before it fails`, async () => {
    const failure = { kind: 'rate_limited', message: 'slow down', retryAfterMs: 2_000 } as const;
    await using provider = await fakeProvider({ script: [{ failure, headers }] });
    const env = { [`${prefix}_BASE_URL`]: provider.url, [`${prefix}_API_KEY`]: 'key' };
    const resolved = resolveModel(name, { env, keys: memoryKeyStore(), clock: systemClock });
    if (!resolved.ok) throw new Error(resolved.problem.message);
    const request = {
      ...requestOf(),
      messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }],
    };
    const events = await collect(resolved.value, request);
    expect(events.map((event) => event.type)).toEqual(['limits_reported', 'response_failed']);
    expect(only(events, 'limits_reported')[0]?.limits.requests?.remaining).toBe(7);
    expect(only(events, 'response_failed')[0]?.failure.retryAfterMs).toBe(2_000);
  });
}
