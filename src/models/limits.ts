import type { Clock } from '../lib/clock.ts';
import { parseDuration } from '../lib/text/duration.ts';
import type { LimitWindow, ModelEvent, ProviderLimits } from '../protocol/index.ts';

/** A header by its lower-case name. */
export type HeaderReader = (name: string) => string | null | undefined;

/** The provider's limits in the headers of any answer, also of a refusal: one event, or none. */
export function limitEvents(header: HeaderReader, clock: Clock): ModelEvent[] {
  const limits = readLimits(header, clock);
  return limits ? [{ type: 'limits_reported', limits }] : [];
}

export function readLimits(header: HeaderReader, clock: Clock): ProviderLimits | undefined {
  const limits: ProviderLimits = {};
  for (const [window, names] of spellings) {
    const read = readWindow(names, header, clock);
    if (read) limits[window] ??= read;
  }
  return Object.keys(limits).length > 0 ? limits : undefined;
}

type Names = readonly [limit: string, remaining: string, reset: string];

const anthropic = (window: string): Names => [
  `anthropic-ratelimit-${window}-limit`,
  `anthropic-ratelimit-${window}-remaining`,
  `anthropic-ratelimit-${window}-reset`,
];
const openai = (window: string): Names => [
  `x-ratelimit-limit-${window}`,
  `x-ratelimit-remaining-${window}`,
  `x-ratelimit-reset-${window}`,
];

const spellings: readonly [keyof ProviderLimits, Names][] = [
  ['requests', anthropic('requests')],
  ['tokens', anthropic('tokens')],
  ['inputTokens', anthropic('input-tokens')],
  ['outputTokens', anthropic('output-tokens')],
  ['requests', openai('requests')],
  ['tokens', openai('tokens')],
];

/** A window without both the remaining amount and its end cannot be used. */
function readWindow([limit, remaining, reset]: Names, header: HeaderReader, clock: Clock) {
  const left = readCount(header(remaining));
  // Most of the spellings are another provider's.
  if (left === undefined) return undefined;
  const resetsAt = readReset(header(reset)?.trim() ?? '', header('date'), clock);
  if (resetsAt === undefined) return undefined;
  const most = readCount(header(limit));
  const window: LimitWindow = { remaining: left, resetsAt, limit: most || undefined };
  return window;
}

function readCount(text: string | null | undefined): number | undefined {
  return typeof text === 'string' && /^\s*\d{1,15}(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** `2026-01-31T12:00:00Z`, `6m0s`, `20ms`, `59.3` (seconds). */
function readReset(text: string, date: string | null | undefined, clock: Clock): number | undefined {
  const latest = clock.now() + maxResetMs;
  const ms = parseDuration(text);
  if (ms !== undefined) return Math.min(clock.now() + ms, latest);
  const at = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(at) ? Math.min(at + measureSkew(date, clock), latest) : undefined;
}

/** No limit lasts longer than a month, and a little. */
export const maxResetMs = 32 * 86_400_000;

/** How far our clock is ahead of the provider's; its `date` is in whole seconds, so small differences are ignored. */
export function measureSkew(date: string | null | undefined, clock: Clock): number {
  const theirs = date ? Date.parse(date) : Number.NaN;
  const difference = clock.now() - theirs;
  return Math.abs(difference) > smallSkewMs ? difference : 0;
}

const smallSkewMs = 5_000;
