import { type Books, formatAccountKey, sumCommitted, type Totals } from './books.ts';
import type { Limit } from './records.ts';
import { comfortableOutput, outputWithin, type Want } from './want.ts';

export type SpendingDecision =
  | { kind: 'go'; maxOutput: number }
  /** Other requests must first give back, in these limits. */
  | { kind: 'wait'; at: readonly Limit[] }
  /** It does not fit, and there is nothing left to be given back. */
  | { kind: 'out'; limit: Limit };

/**
 * Whether a request may be sent now, and with how much output. `claimed` are the limits that an earlier request in the
 * queue waits for: passing it there would starve it.
 */
export function decide(
  books: Books,
  limits: readonly Limit[],
  want: Want,
  claimed: ReadonlySet<string>,
): SpendingDecision {
  const comfortable = Math.max(want.leastOutput, Math.min(comfortableOutput, want.maxOutput));
  const waits: Limit[] = [];
  let maxOutput = want.maxOutput;
  for (const limit of limits) {
    const totals = books.totals(limit.path);
    const room = measureRoom(limit, totals, want);
    if (claimed.has(formatAccountKey(limit.path)) || (room < comfortable && totals.openCount > 0))
      waits.push(limit);
    else if (room < want.leastOutput) return { kind: 'out', limit };
    maxOutput = Math.min(maxOutput, room);
  }
  return waits.length > 0 ? { kind: 'wait', at: waits } : { kind: 'go', maxOutput };
}

/** Tokens of output that fit beside spent, held and reserved ones; negative when the prompt alone does not fit. */
function measureRoom(limit: Limit, totals: Totals, want: Want): number {
  const committed = sumCommitted(totals);
  const money =
    limit.microUsd === undefined ? want.maxOutput : outputWithin(want, limit.microUsd - committed.microUsd);
  const tokens =
    limit.tokens === undefined ? want.maxOutput : limit.tokens - committed.tokens - want.inputTokens;
  return Math.min(money, tokens, want.maxOutput);
}
