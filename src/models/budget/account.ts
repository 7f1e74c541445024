import { ok, type Result } from '../../lib/result.ts';
import type { CostReport } from '../../protocol/cost.ts';
import { type Asker, noUsage, totalTokens } from '../../protocol/index.ts';
import { computeCost, lookUpPrice, type Price, type PriceOverrides } from '../prices.ts';
import type { Unpriced } from './books.ts';
import { refuseUnpriced } from './caps.ts';
import type { AccountPath, Caps, Limit } from './records.ts';
import { reportBooks } from './report.ts';
import type { Share } from './share.ts';
import { type SpendingRequest, Treasury, type TreasuryOptions } from './treasury.ts';
import type { Want } from './want.ts';

/**
 * What an agent may spend: its own caps, within those of all agents above it. The session's account is the lead's;
 * children have theirs below the agent that started them.
 */
export class Account {
  /** The caps that its spending counts against, its own last. */
  readonly limits: readonly Limit[];

  constructor(
    private readonly treasury: Treasury,
    readonly path: AccountPath,
    limits: readonly Limit[],
  ) {
    this.limits = limits;
  }

  /** The account of an agent below this one. Its spending counts here as well. */
  child(agentId: string, caps: Caps = {}): Account {
    const path = [...this.path, agentId];
    return new Account(this.treasury, path, [...this.limits, ...listLimits(path, caps)]);
  }

  /** For requests here and below that broke off without a count. It counts against the caps. */
  get held(): { microUsd: number; tokens: number } {
    const totals = this.treasury.ledger.books.totals(this.path);
    return { microUsd: totals.heldMicroUsd, tokens: totals.heldTokens };
  }

  /** Spending here and below, without what is held or reserved. */
  get spent(): { microUsd: number; tokens: number } {
    const totals = this.treasury.ledger.books.totals(this.path);
    return { microUsd: totals.spentMicroUsd, tokens: totals.spentTokens };
  }

  /** The cost of this agent's own requests, without those of agents below it. Rows of a report add up to the same. */
  get ownTokens(): number {
    const agentId = this.path.at(-1);
    let tokens = 0;
    for (const { path, usage } of this.treasury.ledger.books.spendings)
      if (path.at(-1) === agentId) tokens += totalTokens(usage);
    return tokens;
  }

  /** Of this account and all below it, by agent and model; open requests are not included. */
  report(): CostReport {
    return reportBooks(this.treasury.ledger.readAll(), () => true, this.path);
  }

  /** Sets a part of what is left aside for an agent that runs on another machine. */
  reserveShare(wish: { id: string; model: string; part: number }): Result<Share> {
    return this.treasury.reserveShare({ ...wish, path: this.path, limits: this.limits });
  }

  /** One that was reserved and is not settled. */
  findShare(id: string): Share | undefined {
    return this.treasury.findShare(id);
  }

  reserve(want: Want, priority: Asker['priority'], signal: AbortSignal): SpendingRequest {
    return this.treasury.apply({ path: this.path, limits: this.limits, want, priority, signal });
  }
}

export interface AccountOptions extends TreasuryOptions {
  caps?: Caps;
  overrides?: PriceOverrides;
  /** The place of the account in a ledger that another session keeps, with all limits there. `caps` do not apply. */
  shared?: { path: AccountPath; limits: readonly Limit[] } | undefined;
}

/**
 * The account of a session, with all earlier spending in the ledger. A cap in money needs a price for that too: if it
 * was unknown then, the current one is used.
 */
export function openAccount(options: AccountOptions): Result<Account> {
  const { ledger, caps = {}, overrides = {}, shared } = options;
  const { path, limits } = shared ?? { path: [], limits: listLimits([], caps) };
  const read = ledger.refresh();
  if (!read.ok && limits.length > 0) return read;
  if (limits.some(({ microUsd }) => microUsd !== undefined))
    for (const unpriced of ledger.books.unpriced) {
      const price = lookUpPrice(unpriced.model, overrides);
      if (!price) return refuseUnpriced(unpriced.model);
      const written = ledger.append({ type: 'price', id: unpriced.id, microUsd: costLater(unpriced, price) });
      if (!written.ok) return written;
    }
  const treasury = new Treasury(options);
  treasury.buryDead();
  return ok(new Account(treasury, path, limits));
}

/** A request without a count is taken as output only, which is never the cheaper class. */
function costLater({ usage, tokens }: Unpriced, price: Price): number {
  return computeCost(totalTokens(usage) > 0 ? usage : { ...noUsage, output_tokens: tokens }, price);
}

function listLimits(path: AccountPath, caps: Caps): Limit[] {
  return caps.microUsd === undefined && caps.tokens === undefined ? [] : [{ path, ...caps }];
}
