import { addUsage, noUsage, type Usage } from '../../protocol/index.ts';
import type { AccountPath, LedgerRecord, Limit, ReserveRecord, SettleRecord, SpentPart } from './records.ts';

/** Spending of an account and all below it, what is held, and its open reservations. */
export interface Totals {
  spentMicroUsd: number;
  spentTokens: number;
  /** For requests that broke off without a count: what they may have cost. */
  heldMicroUsd: number;
  heldTokens: number;
  openMicroUsd: number;
  openTokens: number;
  openCount: number;
}

/** One agent's use of one model. */
export interface Spending {
  path: AccountPath;
  model: string;
  usage: Usage;
  /** Without the requests whose price is unknown. */
  microUsd: number;
  requests: number;
  unpriced: number;
  heldMicroUsd: number;
  /** Requests without a complete count, for which something is held. */
  estimated: number;
}

/** A settled request whose price was unknown. */
export interface Unpriced {
  id: string;
  model: string;
  usage: Usage;
  /** Its weight: more than its usage if no usage was reported. */
  tokens: number;
  isHeld: boolean;
}

const nothing: Totals = {
  spentMicroUsd: 0,
  spentTokens: 0,
  heldMicroUsd: 0,
  heldTokens: 0,
  openMicroUsd: 0,
  openTokens: 0,
  openCount: 0,
};

const noSpending = { usage: noUsage, microUsd: 0, heldMicroUsd: 0, requests: 0, unpriced: 0, estimated: 0 };

/** The state that a ledger's records add up to. The same records in the same order give the same books. */
export class Books {
  readonly #totals = new Map<string, Totals>();
  readonly #open = new Map<string, ReserveRecord>();
  readonly #spendings = new Map<string, Spending>();
  readonly #unpriced = new Map<string, Unpriced & { spending: Spending }>();
  readonly #refused = new Set<string>();

  apply(record: LedgerRecord): void {
    if (record.type === 'reserve') this.#reserve(record);
    else if (record.type === 'settle') this.#settle(record);
    else this.#price(record.id, record.microUsd);
  }

  totals(path: AccountPath): Totals {
    return this.#totals.get(formatAccountKey(path)) ?? nothing;
  }

  get open(): Iterable<ReserveRecord> {
    return this.#open.values();
  }

  get spendings(): Iterable<Readonly<Spending>> {
    return this.#spendings.values();
  }

  /** Settled requests whose price was unknown. */
  get unpriced(): readonly Unpriced[] {
    return [...this.#unpriced.values()];
  }

  /** Whether a reservation is valid; undefined when it was never seen or is settled. */
  findStatus(id: string): 'open' | 'refused' | undefined {
    return this.#open.has(id) ? 'open' : this.#refused.has(id) ? 'refused' : undefined;
  }

  #reserve(record: ReserveRecord): void {
    if (this.findStatus(record.id) !== undefined) return;
    if (!record.limits.every((limit) => this.#fits(record, limit))) {
      this.#refused.add(record.id);
      return;
    }
    this.#open.set(record.id, record);
    this.#change(record.path, { microUsd: record.microUsd ?? 0, tokens: record.tokens, count: 1 }, 'open');
  }

  #fits({ microUsd, tokens }: ReserveRecord, limit: Limit): boolean {
    const committed = sumCommitted(this.totals(limit.path));
    if (limit.tokens !== undefined && committed.tokens + tokens > limit.tokens) return false;
    if (limit.microUsd === undefined) return true;
    return microUsd !== null && committed.microUsd + microUsd <= limit.microUsd;
  }

  #settle(record: SettleRecord): void {
    const reservation = this.#open.get(record.id);
    if (!reservation) return;
    this.#open.delete(record.id);
    const { path } = reservation;
    const reserved = { microUsd: -(reservation.microUsd ?? 0), tokens: -reservation.tokens, count: -1 };
    this.#change(path, reserved, 'open');
    const cost = { microUsd: record.microUsd ?? 0, tokens: record.tokens, count: 0 };
    this.#change(path, cost, record.how === 'reserved' ? 'held' : 'spent');
    if (record.held) this.#change(path, { ...record.held, count: 0 }, 'held');
    if (record.parts) for (const part of record.parts) this.#notePart(path, part);
    else if (record.how !== 'unsent') this.#note(path, record);
  }

  #notePart(path: AccountPath, { model, usage, microUsd, requests }: SpentPart): void {
    const spending = this.#findSpending(path, model);
    spending.requests += requests;
    spending.usage = addUsage(spending.usage, usage);
    spending.microUsd += microUsd ?? 0;
    if (microUsd === null) spending.unpriced++;
  }

  #findSpending(path: AccountPath, model: string): Spending {
    const key = `${formatAccountKey(path)} ${model}`;
    const spending = this.#spendings.get(key) ?? { path, model, ...noSpending };
    this.#spendings.set(key, spending);
    return spending;
  }

  #note(path: AccountPath, record: SettleRecord): void {
    const { id, model, how, usage, tokens, microUsd, held } = record;
    const isHeld = how === 'reserved';
    const spending = this.#findSpending(path, model);
    spending.requests++;
    spending.usage = addUsage(spending.usage, usage);
    if (isHeld) spending.heldMicroUsd += microUsd ?? 0;
    else spending.microUsd += microUsd ?? 0;
    spending.heldMicroUsd += held?.microUsd ?? 0;
    if (isHeld || held) spending.estimated++;
    if (microUsd !== null) return;
    spending.unpriced++;
    this.#unpriced.set(id, { id, model, usage, tokens, isHeld, spending });
  }

  #price(id: string, microUsd: number): void {
    const found = this.#unpriced.get(id);
    if (!found) return;
    this.#unpriced.delete(id);
    found.spending.unpriced--;
    if (found.isHeld) found.spending.heldMicroUsd += microUsd;
    else found.spending.microUsd += microUsd;
    this.#change(found.spending.path, { microUsd, tokens: 0, count: 0 }, found.isHeld ? 'held' : 'spent');
  }

  #change(
    path: AccountPath,
    by: { microUsd: number; tokens: number; count: number },
    which: 'open' | 'spent' | 'held',
  ): void {
    for (let depth = 0; depth <= path.length; depth++) {
      const key = formatAccountKey(path.slice(0, depth));
      const totals = this.#totals.get(key) ?? { ...nothing };
      totals.openCount += by.count;
      totals[`${which}MicroUsd`] += by.microUsd;
      totals[`${which}Tokens`] += by.tokens;
      this.#totals.set(key, totals);
    }
  }
}

/** What is no longer there to be reserved: spent, held or already reserved. */
export function sumCommitted(totals: Totals): { microUsd: number; tokens: number } {
  return {
    microUsd: totals.spentMicroUsd + totals.heldMicroUsd + totals.openMicroUsd,
    tokens: totals.spentTokens + totals.heldTokens + totals.openTokens,
  };
}

/** One key per account; agent ids contain no slash. */
export function formatAccountKey(path: AccountPath): string {
  return path.join('/');
}
