import type { LimitWindow, ProviderLimits, Usage } from '../../protocol/index.ts';

export interface Shortage {
  of: 'requests' | 'tokens';
  forMs: number;
}

/**
 * The room that the provider's own reports leave. Between reports it estimates: minus what was sent since, plus what
 * has come back at the rate at which the window refills by its reset.
 */
export class Room {
  readonly #windows = new Map<keyof ProviderLimits, Level>();
  /** Tokens of an average request, in and out. */
  #input = 0;
  #output = 0;

  /** `sent`: requests that the provider may not have counted when it made the report. */
  report(limits: ProviderLimits, sent: number, now: number, wallNow: number): void {
    for (const name of windowNames) {
      const window = limits[name];
      if (window) this.#windows.set(name, computeLevel(window, sent * this.#need(name), now, wallNow));
    }
  }

  spend(): void {
    for (const [name, level] of this.#windows) level.left -= this.#need(name);
  }

  /** Tokens from the cache do not count against the limit. */
  learn(usage: Usage): void {
    this.#input = average(this.#input, usage.input_tokens + usage.cache_creation_input_tokens);
    this.#output = average(this.#output, usage.output_tokens);
  }

  /** Undefined when there is room for one more request. */
  shortage(now: number): Shortage | undefined {
    let longest: Shortage | undefined;
    for (const [name, level] of this.#windows) {
      const forMs = timeUntil(level, Math.min(this.#need(name), level.limit), now);
      if (forMs === undefined) this.#windows.delete(name);
      else if (forMs > (longest?.forMs ?? 0))
        longest = { of: name === 'requests' ? 'requests' : 'tokens', forMs };
    }
    return longest;
  }

  #need(name: keyof ProviderLimits): number {
    if (name === 'requests') return 1;
    if (name === 'inputTokens') return Math.max(1, this.#input);
    return Math.max(1, name === 'outputTokens' ? this.#output : this.#input + this.#output);
  }
}

const windowNames = ['requests', 'tokens', 'inputTokens', 'outputTokens'] as const;

interface Level {
  limit: number;
  left: number;
  perMs: number;
  /** Monotonic, as is the reset. */
  at: number;
  resetsAt: number;
}

/** A report may be about a reset days away, or come from a wrong clock: it is trusted for ten minutes. */
const maxBelievedMs = 600_000;

function computeLevel(window: LimitWindow, sent: number, now: number, wallNow: number): Level {
  const { limit = Number.POSITIVE_INFINITY, remaining } = window;
  const resetMs = Math.max(0, window.resetsAt - wallNow);
  const missing = limit - remaining;
  const perMs = Number.isFinite(missing) && missing > 0 && resetMs > 0 ? missing / resetMs : 0;
  return {
    limit,
    left: remaining - sent,
    perMs,
    at: now,
    resetsAt: now + Math.min(resetMs, maxBelievedMs),
  };
}

/** Undefined once the window has been reset: nothing is known then. */
function timeUntil(level: Level, need: number, now: number): number | undefined {
  if (now >= level.resetsAt) return undefined;
  const missing = need - level.left - level.perMs * (now - level.at);
  if (missing <= 0) return 0;
  const untilReset = level.resetsAt - now;
  return level.perMs > 0 ? Math.min(Math.ceil(missing / level.perMs), untilReset) : untilReset;
}

function average(before: number, next: number): number {
  return before === 0 ? next : before * 0.8 + next * 0.2;
}
