import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { lookUpPrice, type PriceOverrides } from '../prices.ts';
import type { Totals } from './books.ts';
import type { Caps, Limit } from './records.ts';
import { type Want, worstCost } from './want.ts';

export type { Caps } from './records.ts';

/** Caps as the user gives them: dollars, tokens. */
export function convertCaps({
  maxBudgetUsd: usd,
  maxTokens,
}: {
  maxBudgetUsd?: number;
  maxTokens?: number;
}): Caps {
  const microUsd = usd === undefined ? undefined : Math.floor(usd * 1_000_000 + 1e-6);
  return keepDefined({ microUsd, tokens: maxTokens && Math.floor(maxTokens) });
}

/** A budget in money needs a price for every model that may be asked: checked before any token is spent. */
export function checkBudget(
  caps: Caps,
  models: string | readonly string[],
  overrides: PriceOverrides = {},
): Result<void> {
  if (caps.microUsd === undefined) return ok(undefined);
  const unknown = [models].flat().find((model) => lookUpPrice(model, overrides) === undefined);
  return unknown === undefined ? ok(undefined) : refuseUnpriced(unknown);
}

export function refuseUnpriced(model: string): Result<never> {
  return usage(
    `--max-budget-usd: the price of ${model} is unknown, so its spending cannot be limited in dollars.`,
    `Set it in modelPricing, in dollars per million tokens: ${JSON.stringify({ modelPricing: { [model]: { input: 1, output: 5 } } })} (0 for your own server), or limit tokens with --max-tokens.`,
  );
}

/** Says which cap it is, how much of it is spent, and what the request could have cost. */
export function explainOut(limit: Limit, totals: Totals, want: Want): string {
  const least = worstCost(want, want.leastOutput);
  const tokens = want.inputTokens + want.leastOutput;
  const short =
    limit.microUsd !== undefined &&
    (limit.tokens === undefined ||
      least === null ||
      totals.spentMicroUsd + totals.heldMicroUsd + least > limit.microUsd);
  if (short && least === null)
    return `Out of budget: ${nameLimit(limit, 'money')} is set, but the price of ${want.model} is unknown. Set it in modelPricing.`;
  if (short)
    return `Out of budget: ${formatUsd(totals.spentMicroUsd)} of ${formatUsd(limit.microUsd ?? 0)} (${nameLimit(limit, 'money')}) is spent${describeHeld(totals.heldMicroUsd, formatUsd, 'is')}, and the next request could cost ${formatUsd(least ?? 0)}.${adviseHeld(totals.heldMicroUsd, 'money is')}`;
  return `Out of budget: ${formatCount(totals.spentTokens)} of ${formatCount(limit.tokens ?? 0)} tokens (${nameLimit(limit, 'tokens')}) are spent${describeHeld(totals.heldTokens, formatCount, 'are')}, and the next request could use ${formatCount(tokens)}.${adviseHeld(totals.heldTokens, 'tokens are')}`;
}

function describeHeld(amount: number, format: (amount: number) => string, verb: string): string {
  return amount > 0 ? `, ${format(amount)} ${verb} held for requests that ended without a token count` : '';
}

function adviseHeld(amount: number, what: string): string {
  return amount > 0 ? ` Held ${what} not released in this session: resume it with a higher limit.` : '';
}

export function explainWait(limit: Limit | undefined, totals: Totals): string {
  if (!limit) return 'Waiting: other requests are ahead in the budget queue.';
  const unit = limit.microUsd === undefined ? 'tokens' : 'money';
  const what = `the unused part of ${nameLimit(limit, unit)}`;
  if (totals.openCount === 1) return `Waiting for the one open request to release ${what}.`;
  return `Waiting for ${totals.openCount} open requests to release ${what}.`;
}

function nameLimit({ path }: Limit, unit: 'money' | 'tokens'): string {
  const agent = path.at(-1);
  if (agent !== undefined) return `the budget of agent ${agent}`;
  return unit === 'money' ? '--max-budget-usd' : '--max-tokens';
}

/** Cents for large sums; enough digits to tell small ones apart. */
export function formatUsd(microUsd: number): string {
  const digits = microUsd >= 10_000_000 ? 2 : microUsd > 0 && microUsd < 1_000 ? 6 : 4;
  return `$${(microUsd / 1_000_000).toFixed(digits)}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}
