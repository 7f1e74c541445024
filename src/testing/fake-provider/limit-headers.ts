import type { LimitWindow } from '../../protocol/index.ts';
import type { Admission } from './limiter.ts';

/** For the Messages API: the time of the reset as a date. */
export function anthropicLimitHeaders({ requests, tokens }: Admission): Record<string, string> {
  const headers = (name: string, window: LimitWindow) => ({
    [`anthropic-ratelimit-${name}-limit`]: String(window.limit),
    [`anthropic-ratelimit-${name}-remaining`]: String(window.remaining),
    [`anthropic-ratelimit-${name}-reset`]: new Date(window.resetsAt).toISOString(),
  });
  return { ...headers('requests', requests), ...(tokens ? headers('input-tokens', tokens) : {}) };
}

/** For Chat Completions: the time until the reset. */
export function openaiLimitHeaders({ requests, tokens }: Admission, now: number): Record<string, string> {
  const headers = (name: string, window: LimitWindow) => ({
    [`x-ratelimit-limit-${name}`]: String(window.limit),
    [`x-ratelimit-remaining-${name}`]: String(window.remaining),
    [`x-ratelimit-reset-${name}`]: duration(window.resetsAt - now),
  });
  return { ...headers('requests', requests), ...(tokens ? headers('tokens', tokens) : {}) };
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.ceil(ms))}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.ceil((ms - minutes * 60_000) / 100) / 10;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
