import { ok, type Result, usage } from '../../lib/result.ts';
import { type Books, sumCommitted } from './books.ts';
import { formatCount, formatUsd } from './caps.ts';
import type { AccountPath, Limit, SpentPart } from './records.ts';

/** A part of a budget that work on another machine may spend: all of it counts as reserved until it is settled. */
export interface Share {
  /** Undefined: no limit in money, or in tokens. */
  readonly microUsd: number | undefined;
  readonly tokens: number | undefined;
  /** What was spent; the rest is given back. */
  settle(parts: readonly SpentPart[]): void;
  /** What was spent is not known: all of it stays held. */
  hold(): void;
}

export interface ShareWish {
  /** The same for the same work: it is reserved once, also over a restart. */
  id: string;
  path: AccountPath;
  limits: readonly Limit[];
  model: string;
  /** The part of what is left that is reserved where the agent has no limit of its own. */
  part: number;
}

/** Less than this is not enough for an agent: it would only end out of budget. */
const leastMicroUsd = 1_000;
const leastTokens = 2_000;

type Unit = 'microUsd' | 'tokens';

/** The largest that all limits leave, or the part of it that the wish says, unless the agent has a limit of its own. */
export function sizeShare(
  books: Books,
  { path, limits, part }: ShareWish,
): Result<{ microUsd: number | undefined; tokens: number | undefined }> {
  const measure = (unit: Unit): number | undefined => {
    const capped = limits.filter((limit) => limit[unit] !== undefined);
    if (capped.length === 0) return undefined;
    const left = Math.min(
      ...capped.map((limit) => (limit[unit] ?? 0) - sumCommitted(books.totals(limit.path))[unit]),
    );
    const isOwn = capped.some((limit) => limit.path.length === path.length);
    return Math.max(0, Math.floor(isOwn ? left : left * part));
  };
  const [microUsd, tokens] = [measure('microUsd'), measure('tokens')];
  if (microUsd !== undefined && microUsd < leastMicroUsd)
    return usage(
      `Out of budget: ${formatUsd(microUsd)} can be reserved for this agent, which is too little.`,
    );
  if (tokens !== undefined && tokens < leastTokens)
    return usage(
      `Out of budget: ${formatCount(tokens)} tokens can be reserved for this agent, which is too little.`,
    );
  return ok({ microUsd, tokens });
}
