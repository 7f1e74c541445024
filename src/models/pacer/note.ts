import { parseJson } from '../../lib/fields/parse-json.ts';
import { maxResetMs } from '../limits.ts';
import { cleanText } from '../providers/error.ts';

/** One process's report to the others about one model. Times are of the wall clock, which all of them share. */
export interface PacingNote {
  /** Sessions with waiting or open requests: its share of the common limit. */
  sessions: number;
  hold?: Hold;
  estimate?: Estimate;
  ease?: Ease | undefined;
}

/** So many requests were accepted at once, and none was refused. The next process need not find out again. */
export interface Ease {
  at: number;
  window: number;
}

/** No process sends before `at + delayMs`. */
export interface Hold {
  at: number;
  delayMs: number;
  cause: HoldCause;
  status?: number;
  /** What the provider said, as a sentence; only for a long one. */
  said?: string;
}

/** Up to here a wait is pacing, which every run does; a longer one is a suspension. */
export const maxPacedMs = 600_000;

/** Whatever a provider or a note says: nothing waits longer without asking again. */
export const maxHoldMs = maxResetMs;

/** `requests` and `tokens`: the provider said that none are left. */
export type HoldCause = (typeof holdCauses)[number];

const holdCauses = ['rate_limited', 'overloaded', 'requests', 'tokens'] as const;

/** The lesson of the last refusal, for all processes together. */
export interface Estimate {
  refusedAt: number;
  /** How many at once. */
  window: number;
  /** Requests per second; absent while no limit is known. */
  capacity?: number;
  /** The capacity is a first guess, to be replaced soon. */
  isGuess?: boolean;
  /** Refusals in a row. */
  strikes: number;
}

/** A note as found: written by another process, perhaps of another version, perhaps by hand. */
export function parseNote(text: string): PacingNote | undefined {
  const given = readObject(parseJson(text));
  const sessions = readNumber(given.sessions, 10_000);
  if (sessions === undefined) return undefined;
  const hold = parseHold(readObject(given.hold));
  const estimate = parseEstimate(readObject(given.estimate));
  const ease = parseEase(readObject(given.ease));
  return { sessions, hold, estimate, ease };
}

function parseEase(given: Record<string, unknown>): Ease | undefined {
  const at = readNumber(given.at);
  const window = readNumber(given.window, maxEase);
  return at === undefined || !window ? undefined : { at, window };
}

/** Whatever a note says: no more than this is begun with. */
const maxEase = 256;

function parseHold(given: Record<string, unknown>): Hold | undefined {
  const at = readNumber(given.at);
  const delayMs = readNumber(given.delayMs, maxHoldMs);
  const cause = holdCauses.find((known) => known === given.cause);
  const status = readNumber(given.status, 999);
  if (at === undefined || delayMs === undefined || cause === undefined) return undefined;
  const said = typeof given.said === 'string' ? cleanText(given.said) : undefined;
  return { at, delayMs, cause, status, said };
}

function parseEstimate(given: Record<string, unknown>): Estimate | undefined {
  const refusedAt = readNumber(given.refusedAt);
  const window = readNumber(given.window, 1_000_000);
  const strikes = readNumber(given.strikes, 1_000_000);
  const capacity = readNumber(given.capacity, 1_000_000);
  if (refusedAt === undefined || !window || strikes === undefined) return undefined;
  return {
    refusedAt,
    window: Math.max(1, window),
    strikes,
    ...(capacity ? { capacity, isGuess: given.isGuess === true } : {}),
  };
}

function readNumber(value: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= most ? value : undefined;
}

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
