import type { Clock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import type { LimitWindow, ModelFailure } from '../../protocol/index.ts';

/** A provider's limits: buckets that refill evenly, and times at which nothing is answered at all. */
export interface LimiterOptions {
  requestsPerMinute: number;
  /** Input tokens, counted when a request comes in. */
  tokensPerMinute?: number;
  /** Requests in a full bucket; by default those of a minute. */
  burst?: number;
  outages?: OutageOptions;
}

export interface Limiter {
  /** Takes a request of so many input tokens from the buckets, or says why not. */
  admit(tokens: number): Admission;
}

export interface Admission {
  /** Absent: admitted. */
  failure?: ModelFailure;
  /** As they are after this request. */
  requests: LimitWindow;
  tokens?: LimitWindow;
}

export function openLimiter(options: LimiterOptions, clock: Clock): Limiter {
  const { requestsPerMinute, tokensPerMinute } = options;
  const requests = openBucket(requestsPerMinute, options.burst ?? requestsPerMinute, clock);
  const tokens =
    tokensPerMinute === undefined ? undefined : openBucket(tokensPerMinute, tokensPerMinute, clock);
  const outages = options.outages && openOutages(options.outages, clock);
  const view = () => ({ requests: requests.window(), tokens: tokens?.window() });
  return {
    admit(asked) {
      if (outages?.isOut()) return { failure: overloaded, ...view() };
      const waitMs = Math.max(requests.measureWait(1), tokens?.measureWait(asked) ?? 0);
      if (waitMs > 0) return { failure: limited(waitMs), ...view() };
      requests.take(1);
      tokens?.take(asked);
      return view();
    },
  };
}

const overloaded: ModelFailure = { kind: 'overloaded', message: 'Overloaded', status: 529 };

function limited(retryAfterMs: number): ModelFailure {
  const message = 'This request would exceed the rate limit';
  return { kind: 'rate_limited', message, status: 429, retryAfterMs };
}

/** Its content is counted in 60,000ths, so whole milliseconds add up to whole numbers. */
function openBucket(perMinute: number, size: number, clock: Clock) {
  const minute = 60_000;
  let level = size * minute;
  let at = clock.monotonic();
  const fill = () => {
    const now = clock.monotonic();
    level = Math.min(size * minute, level + (now - at) * perMinute);
    at = now;
  };
  return {
    /** Milliseconds until this much can be taken; more than the bucket holds counts as a full one. */
    measureWait(amount: number): number {
      fill();
      return Math.max(0, Math.ceil((Math.min(amount, size) * minute - level) / perMinute));
    },
    take(amount: number): void {
      level -= Math.min(amount, size) * minute;
    },
    window(): LimitWindow {
      fill();
      const resetsAt = clock.now() + Math.ceil((size * minute - level) / perMinute);
      return { limit: size, remaining: Math.max(0, Math.floor(level / minute)), resetsAt };
    },
  };
}

interface OutageOptions {
  seed: number;
  /** The share of time in outage, by default a fifth. */
  share?: number;
  /** The average length of an outage, by default 5 s; each takes half to one and a half times that. */
  meanMs?: number;
}

/** Normal times and outages in turn, starting with a normal one: the same for the same seed. */
function openOutages({ seed, share = 0.2, meanMs = 5_000 }: OutageOptions, clock: Clock) {
  const random = seededRandom(seed);
  const spread = (mean: number) => mean * (0.5 + random());
  const start = clock.monotonic();
  let until = spread((meanMs * (1 - share)) / share);
  let isOut = false;
  return {
    isOut(): boolean {
      const elapsed = clock.monotonic() - start;
      while (elapsed >= until) {
        isOut = !isOut;
        until += spread(isOut ? meanMs : (meanMs * (1 - share)) / share);
      }
      return isOut;
    },
  };
}
