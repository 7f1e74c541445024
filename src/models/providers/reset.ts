import type { Clock } from '../../lib/clock.ts';
import { type HeaderReader, maxResetMs, measureSkew, readLimits } from '../limits.ts';

/** The parts of a refusal in which providers say when they accept requests again. */
export interface RefusalParts {
  header: HeaderReader;
  /** The error object of the body. */
  body: Readonly<Record<string, unknown>>;
  message: string;
}

/** How long a provider asks to wait, as far as that is believed. */
export interface AskedWait {
  ms: number;
  /** What it asked for, where that is more than can be right. */
  askedMs?: number;
}

/**
 * How long a provider asks to wait; undefined if it does not say. `retry-after` first; then what the body says of a usage limit;
 * then the windows that are used up; then the sentence for people.
 */
export function readWait(parts: RefusalParts, clock: Clock): AskedWait | undefined {
  const now = clock.now();
  const direct = readRetryAfter(parts.header, clock);
  if (direct !== undefined) return boundWait(direct, maxRetryAfterMs);
  const at = readResetField(parts.body, now) ?? readUsedUp(parts.header, clock) ?? readSentence(parts);
  return at === undefined ? undefined : boundWait(Math.max(0, at - now), maxResetMs);
}

/** One wrong number must not close a model to all processes for years. */
function boundWait(ms: number, most: number): AskedWait {
  return ms <= most ? { ms } : { ms: most, askedMs: ms };
}

/** Seconds, or a time: a date, or what can only be a number of seconds since 1970. */
function readRetryAfter(header: HeaderReader, clock: Clock): number | undefined {
  const exact = Number(header('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const given = header('retry-after')?.trim();
  if (given === undefined) return undefined;
  // A header that came twice, from a provider and its proxy, has both values.
  const numbers = given.split(/\s*,\s*/).filter((one) => /^\d+(\.\d+)?$/.test(one));
  const number = numbers.length > 0 ? Math.max(...numbers.map(Number)) : undefined;
  const at = number === undefined ? Date.parse(given) : readEpoch(number);
  const skewMs = number === undefined ? 0 : measureSkew(header('date'), clock);
  const ms =
    number !== undefined && at === undefined ? number * 1_000 : (at ?? Number.NaN) + skewMs - clock.now();
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined;
}

/** `resets_in_seconds` and `resets_at` of a plan's usage limit; a month's or a day's limit without a time. */
function readResetField(body: RefusalParts['body'], now: number): number | undefined {
  const seconds = body.resets_in_seconds;
  if (typeof seconds === 'number' && seconds >= 0) return now + Math.ceil(seconds * 1_000);
  const at = readEpoch(body.resets_at) ?? Date.parse(String(body.resets_at));
  if (Number.isFinite(at)) return at;
  const { error_code: code } = asFields(body.details);
  if (code === 'enforced_spend_limit_reached') return startOfNextMonth(now);
  return body.code === dailyQuota ? startOfNextPacificDay(now) : undefined;
}

/** The code that a quota per day is given where its provider names no time (`google-refusal.ts`). */
export const dailyQuota = 'quota_per_day';

/** The latest reset of all windows in which nothing is left. */
function readUsedUp(header: HeaderReader, clock: Clock): number | undefined {
  const limits = readLimits(header, clock) ?? {};
  const windows = Object.values(limits).flatMap((window) =>
    window && window.remaining === 0 ? [window.resetsAt] : [],
  );
  const skewMs = measureSkew(header('date'), clock);
  const isRejected = header('anthropic-ratelimit-unified-status') === 'rejected';
  const unified = isRejected ? readEpoch(header('anthropic-ratelimit-unified-reset')) : undefined;
  const shared = header('x-ratelimit-remaining') === '0' ? readEpoch(header('x-ratelimit-reset')) : undefined;
  const resets = [unified, shared].flatMap((at) => (at === undefined ? [] : [at + skewMs]));
  const all = [...windows, ...resets];
  return all.length === 0 ? undefined : Math.max(...all);
}

/** `You will regain access on 2026-04-01 at 00:00 UTC.` */
function readSentence({ message }: RefusalParts): number | undefined {
  const [, day, time] = /regain access on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) UTC/i.exec(message) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  return Number.isFinite(at) ? at : undefined;
}

/** Seconds or milliseconds since 1970. */
function readEpoch(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{10,13}$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== 'number' || number < minEpochSeconds) return undefined;
  return number < minEpochSeconds * 1_000 ? number * 1_000 : number;
}

/** 2001: no reset is earlier, and no number of seconds to wait is larger. */
const minEpochSeconds = 1_000_000_000;

function startOfNextMonth(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** Google's days begin at midnight in California. */
function startOfNextPacificDay(now: number): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Los_Angeles', timeStyle: 'medium' });
  const [hours = 0, minutes = 0, seconds = 0] = format.format(now).split(':').map(Number);
  return now + dayMs - ((hours * 60 + minutes) * 60 + seconds) * 1_000;
}

const dayMs = 86_400_000;
/** The longest windows of plans are a week. Spend limits last a month, but name a date. */
const maxRetryAfterMs = 7 * dayMs;

function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
