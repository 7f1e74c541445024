import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { describeFailure } from '../../src/models/failures.ts';
import { googleRefusal } from '../../src/models/google-refusal.ts';
import type { ModelFailure } from '../../src/protocol/index.ts';

/** 18 November 2026, 10:00:00 in UTC, 02:00 in California. */
const now = Date.UTC(2026, 10, 18, 10);
const hour = 3_600_000;

interface Refusal {
  status: number;
  error: Record<string, unknown>;
  headers?: Record<string, string>;
}

function describeRefusal({ status, error, headers = {} }: Refusal): ModelFailure {
  const thrown = { statusCode: status, responseHeaders: headers, data: { error } };
  const context = {
    provider: 'anthropic' as const,
    ...{ id: 'model', baseUrl: 'https://api.example.com', secrets: [], clock: manualClock(now) },
  };
  return describeFailure(thrown, context, new AbortController().signal);
}

const limit = { type: 'rate_limit_error', message: 'Slow down.' };

/** How each provider says when it accepts requests again, and how long that is from now. */
const resets: [name: string, refusal: Refusal, retryAfterMs: number][] = [
  ['retry-after', { status: 429, error: limit, headers: { 'retry-after': '13262' } }, 13_262_000],
  ['retry-after, twice', { status: 429, error: limit, headers: { 'retry-after': '60, 13262' } }, 13_262_000],
  [
    'the reset of a window in which nothing is left',
    {
      ...{ status: 429, error: limit },
      headers: {
        'anthropic-ratelimit-requests-remaining': '10',
        'anthropic-ratelimit-requests-reset': '2026-11-19T10:00:00Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-11-18T15:00:00Z',
      },
    },
    5 * hour,
  ],
  [
    'the reset of a unified limit',
    {
      ...{ status: 429, error: limit },
      headers: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-reset': String((now + 5 * hour) / 1_000),
      },
    },
    5 * hour,
  ],
  [
    'a spend limit, in a sentence',
    {
      status: 400,
      error: {
        type: 'invalid_request_error',
        message:
          'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
      },
    },
    12 * 24 * hour + 14 * hour,
  ],
  [
    'the spend limit of a tier, which ends with the month',
    { status: 429, error: { ...limit, details: { error_code: 'enforced_spend_limit_reached' } } },
    12 * 24 * hour + 14 * hour,
  ],
  [
    'the usage limit of a plan, in seconds',
    {
      status: 429,
      error: {
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        resets_in_seconds: 13_872,
      },
    },
    13_872_000,
  ],
  [
    'the usage limit of a plan, as a time',
    {
      status: 429,
      error: { type: 'usage_limit_reached', message: 'Reached', resets_at: now / 1_000 + 7_200 },
    },
    2 * hour,
  ],
  [
    'a quota that comes back',
    {
      ...{ status: 429, headers: { 'retry-after': '3600' } },
      error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' },
    },
    hour,
  ],
  [
    'the headers that a gateway repeats in the body',
    {
      status: 429,
      error: {
        ...{ code: 429, message: 'Rate limit exceeded: free-models-per-day.' },
        metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': String(now + 14 * hour) } },
      },
    },
    14 * hour,
  ],
];

for (const [name, refusal, retryAfterMs] of resets)
  test(`G13 a limit is waited for until ${name}`, () => {
    expect(describeRefusal(refusal)).toMatchObject({ kind: 'rate_limited', retryAfterMs });
  });

test("G13 Google's quota per day ends at midnight in California, unless it names a time", () => {
  const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }];
  const quota = { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations };
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36s' };
  const refuse = (details: object[]) => {
    const error = { code: 429, message: 'Quota exceeded.', status: 'RESOURCE_EXHAUSTED', details };
    const said = googleRefusal({ statusCode: 429, responseBody: JSON.stringify({ error }) }) as {
      data: { error: Record<string, unknown> };
      responseHeaders: Record<string, string>;
    };
    return describeRefusal({ status: 429, error: said.data.error, headers: said.responseHeaders });
  };
  expect(refuse([quota])).toMatchObject({ kind: 'rate_limited', retryAfterMs: 22 * hour });
  expect(refuse([quota, retry])).toMatchObject({ kind: 'rate_limited', retryAfterMs: 36_000 });
});

/** Nothing to wait for: only the user can do something about it. */
const terminal: [status: number, error: Record<string, unknown>, kind: ModelFailure['kind']][] = [
  [429, { code: 'insufficient_quota', type: 'insufficient_quota', message: 'You exceeded it.' }, 'billing'],
  [429, { type: 'usage_limit_reached', message: 'The usage limit has been reached' }, 'billing'],
  [402, { type: 'billing_error', message: 'Pay.' }, 'billing'],
  [400, { type: 'invalid_request_error', message: 'Your credit balance is too low' }, 'billing'],
  [400, { type: 'invalid_request_error', message: 'This organization has been disabled.' }, 'authentication'],
  [401, { code: 'account_deactivated', message: 'Your account has been deactivated' }, 'authentication'],
  [404, { type: 'not_found_error', message: 'model: gone' }, 'model_not_found'],
];

for (const [status, error, kind] of terminal)
  test(`G13 ${status} ${error.message} is ${kind}: nothing would reset it`, () => {
    expect(describeRefusal({ status, error })).toMatchObject({ kind, status });
  });

test('a short retry-after does not bring back a used-up credit', () => {
  const refusal = { status: 429, error: { code: 'insufficient_quota', message: 'Pay.' } };
  expect(describeRefusal({ ...refusal, headers: { 'retry-after': '2' } })).toMatchObject({ kind: 'billing' });
});

const day = 24 * hour;

/** Values that cannot be a number of seconds to wait, or that nobody means. */
const odd: [retryAfter: string, retryAfterMs: number, isCut: boolean][] = [
  [String((now + 2 * hour) / 1_000), 2 * hour, false],
  [String(now + 2 * hour), 2 * hour, false],
  ['Wed, 18 Nov 2026 12:00:00 GMT', 2 * hour, false],
  [String((now - 2 * hour) / 1_000), 0, false],
  ['604800', 7 * day, false],
  ['604801', 7 * day, true],
  ['99999999999999999999', 7 * day, true],
];

for (const [retryAfter, retryAfterMs, isCut] of odd)
  test(`retry-after: ${retryAfter.slice(0, 30)} is ${retryAfterMs / hour} hours`, () => {
    const failure = describeRefusal({ status: 429, error: limit, headers: { 'retry-after': retryAfter } });
    expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterMs });
    expect(failure.message.includes('cadre doctor --fix')).toBe(isCut);
  });

test('a reset in a body, a sentence or a window is believed for a month', () => {
  const sentence = 'You will regain access on 9026-04-01 at 00:00 UTC.';
  for (const refusal of [
    { status: 429, error: { ...limit, resets_in_seconds: 1e15 } },
    { status: 429, error: { ...limit, resets_at: 1e300 } },
    {
      status: 400,
      error: {
        type: 'invalid_request_error',
        message: `You have reached your specified API usage limits. ${sentence}`,
      },
    },
    {
      ...{ status: 429, error: limit },
      headers: {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '9026-11-19T10:00:00Z',
      },
    },
  ])
    expect(describeRefusal(refusal)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 32 * day });
});
