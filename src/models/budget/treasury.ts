import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { isSameProcess, type ProcessMark } from '../../lib/processes/mark.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { Asker, Usage } from '../../protocol/index.ts';
import { addUsage, noUsage, totalTokens } from '../../protocol/index.ts';
import { formatAccountKey } from './books.ts';
import { explainOut, explainWait } from './caps.ts';
import { decide } from './decide.ts';
import type { Ledger } from './ledger.ts';
import type { AccountPath, Limit, ReserveRecord, SettleRecord } from './records.ts';
import { type Share, type ShareWish, sizeShare } from './share.ts';
import { type Want, worstCost } from './want.ts';

export interface TreasuryOptions {
  ledger: Ledger;
  clock: Clock;
  ids: Ids;
  owner: ProcessMark;
  /** Whether another process of the ledger is still alive. */
  isAlive?: (owner: ProcessMark) => boolean;
}

/** A request for money. */
export interface Spender {
  path: AccountPath;
  limits: readonly Limit[];
  want: Want;
  priority: Asker['priority'];
  signal: AbortSignal;
}

export type TreasuryAnswer =
  | { kind: 'granted'; reservation: Reservation }
  | { kind: 'out'; message: string }
  | { kind: 'aborted' };

export interface SpendingRequest {
  /** Why there is no answer yet; undefined when there is one. */
  waits?: string;
  answer: Promise<TreasuryAnswer>;
}

export interface Reservation {
  readonly maxOutput: number;
  /** Gives back what was not used. Only the first call has an effect. */
  settle(end: SettleEnd): void;
}

export type SettleEnd =
  | {
      how: 'reported';
      model: string;
      usage: Usage;
      microUsd: number | null;
      tokens: number;
      /** The count is not everything that it may have cost: the rest of the reservation stays held. */
      holdsRest?: boolean;
    }
  /** `reserved`: there is no count at all, and the whole reservation stays held. */
  | { how: 'reserved' | 'unsent' };

interface Waiting extends Spender {
  answer?: TreasuryAnswer;
  resolve(answer: TreasuryAnswer): void;
}

/**
 * Hands out reservations of one ledger to all agents of this process: first come, first served, the foreground before
 * the background. There is no queue between processes: the first one to look when money is freed gets it.
 */
export class Treasury {
  readonly #options: Required<TreasuryOptions>;
  readonly #queues = { foreground: new Set<Waiting>(), background: new Set<Waiting>() };
  #stopPolling: (() => void) | undefined;
  #polls = 0;

  constructor(options: TreasuryOptions) {
    this.#options = { isAlive: isSameProcess, ...options };
  }

  get ledger(): Ledger {
    return this.#options.ledger;
  }

  apply(applicant: Spender): SpendingRequest {
    const queue = this.#queues[applicant.priority];
    const { promise, resolve } = Promise.withResolvers<TreasuryAnswer>();
    const waiting: Waiting = { ...applicant, resolve };
    if (applicant.signal.aborted) return { answer: Promise.resolve({ kind: 'aborted' }) };
    queue.add(waiting);
    this.#serve();
    if (waiting.answer) return { answer: promise };
    this.#leaveWhenAborted(waiting, queue);
    const waits = this.#reasonFor(waiting);
    this.#poll();
    return waiting.answer ? { answer: promise } : { answer: promise, waits };
  }

  /** A dead process gives nothing back: what its open requests had reserved stays held. */
  buryDead(): void {
    const { ledger, owner, isAlive, clock } = this.#options;
    const isOurs = (mark: ProcessMark) => mark.pid === owner.pid && mark.start === owner.start;
    for (const record of [...ledger.books.open])
      if (!record.isShare && !isOurs(record.owner) && !isAlive(record.owner))
        this.#settle(buildSettlement(record, { how: 'reserved' }, timestamp(clock)));
  }

  /** Sets a part of what is left aside for work elsewhere, whole and at once, or says why there is too little. */
  reserveShare(wish: ShareWish): Result<Share> {
    const { ledger, clock, owner } = this.#options;
    const kept = this.findShare(wish.id);
    if (kept) return ok(kept);
    for (let attempt = 1; attempt <= 8; attempt++) {
      ledger.refresh();
      const amount = sizeShare(ledger.books, wish);
      if (!amount.ok) return amount;
      const { microUsd, tokens } = amount.value;
      const written = ledger.append({
        // One that was refused stays refused: another attempt is another record.
        ...{ type: 'reserve', id: attempt === 1 ? wish.id : `${wish.id}#${attempt}` },
        ...{ at: timestamp(clock), path: wish.path, model: wish.model },
        ...{ microUsd: microUsd ?? 0, tokens: tokens ?? 0, limits: wish.limits, owner, isShare: true },
      });
      if (!written.ok) return written;
      const share = this.findShare(wish.id);
      if (share) return ok(share);
    }
    return usage('The budget is being reserved by other requests. Try again.');
  }

  /** A share that is still open, also one that an earlier process of the session reserved. */
  findShare(id: string): Share | undefined {
    const { ledger } = this.#options;
    for (const record of ledger.books.open)
      if (record.isShare && (record.id === id || record.id.startsWith(`${id}#`))) return this.#share(record);
    return undefined;
  }

  #share(record: ReserveRecord): Share {
    const { id, limits, model } = record;
    const inMoney = limits.some(({ microUsd }) => microUsd !== undefined);
    const inTokens = limits.some(({ tokens }) => tokens !== undefined);
    return {
      microUsd: inMoney ? (record.microUsd ?? 0) : undefined,
      tokens: inTokens ? record.tokens : undefined,
      settle: (parts) => {
        const at = timestamp(this.#options.clock);
        this.#settle({
          ...{ type: 'settle', id, at, model, how: 'reported', parts },
          usage: parts.reduce((sum, part) => addUsage(sum, part.usage), noUsage),
          microUsd: parts.reduce((sum, part) => sum + (part.microUsd ?? 0), 0),
          tokens: parts.reduce((sum, part) => sum + totalTokens(part.usage), 0),
        });
        this.#serve();
      },
      hold: () => {
        this.#settle(buildSettlement(record, { how: 'reserved' }, timestamp(this.#options.clock)));
        this.#serve();
      },
    };
  }

  /**
   * Goes through the waiting requests, in order. One that has to wait keeps others from passing it in the limits it
   * waits for.
   */
  #serve(): void {
    const { ledger } = this.#options;
    // A failed read is not a problem, since earlier records are known; a failed append stops a request.
    ledger.refresh();
    const claimed = new Set<string>();
    for (const queue of [this.#queues.foreground, this.#queues.background])
      for (const waiting of queue) {
        const answer = this.#answer(waiting, claimed);
        if (answer) finish(waiting, queue, answer);
        // All accounts are below the session's: no request can pass.
        if (claimed.has('')) return;
      }
  }

  #answer(waiting: Waiting, claimed: Set<string>): TreasuryAnswer | undefined {
    const { books } = this.#options.ledger;
    // Another process may be faster between reading and writing; then the books have changed.
    for (let attempt = 1; attempt <= 8; attempt++) {
      const decision = decide(books, waiting.limits, waiting.want, claimed);
      if (decision.kind === 'out') {
        const totals = books.totals(decision.limit.path);
        return { kind: 'out', message: explainOut(decision.limit, totals, waiting.want) };
      }
      if (decision.kind === 'wait') {
        for (const limit of decision.at) claimed.add(formatAccountKey(limit.path));
        return undefined;
      }
      const answer = this.#reserve(waiting, decision.maxOutput);
      if (answer) return answer;
    }
    return undefined;
  }

  /** Undefined when it no longer fits. */
  #reserve({ path, limits, want }: Waiting, maxOutput: number): TreasuryAnswer | undefined {
    const { ledger, ids, clock, owner } = this.#options;
    const record: ReserveRecord = {
      type: 'reserve',
      id: ids.uuid(),
      at: timestamp(clock),
      path,
      model: want.model,
      microUsd: worstCost(want, maxOutput),
      tokens: want.inputTokens + maxOutput,
      limits,
      owner,
    };
    const written = ledger.append(record);
    if (!written.ok && limits.length > 0)
      return { kind: 'out', message: `The budget cannot be recorded: ${written.problem.message}` };
    // Without a limit nothing depends on the file; the report will lack this request.
    if (!written.ok) ledger.books.apply(record);
    if (ledger.books.findStatus(record.id) === 'refused') return undefined;
    return { kind: 'granted', reservation: this.#reservation(record, maxOutput) };
  }

  #reservation(record: ReserveRecord, maxOutput: number): Reservation {
    let isOpen = true;
    return {
      maxOutput,
      settle: (end) => {
        if (!isOpen) return;
        isOpen = false;
        this.#settle(buildSettlement(record, end, timestamp(this.#options.clock)));
        this.#serve();
      },
    };
  }

  /** If it cannot be written, this process still knows it; to others the reservation stays open until we have ended. */
  #settle(record: SettleRecord): void {
    const { ledger } = this.#options;
    if (!ledger.append(record).ok) ledger.books.apply(record);
  }

  #leaveWhenAborted(waiting: Waiting, queue: Set<Waiting>): void {
    const leave = () => {
      finish(waiting, queue, { kind: 'aborted' });
      this.#serve();
    };
    waiting.signal.addEventListener('abort', leave, { once: true });
    const { resolve } = waiting;
    waiting.resolve = (answer) => {
      waiting.signal.removeEventListener('abort', leave);
      resolve(answer);
    };
  }

  #reasonFor({ limits, want }: Waiting): string {
    const { books } = this.#options.ledger;
    const decision = decide(books, limits, want, new Set());
    const limit = decision.kind === 'wait' ? decision.at[0] : undefined;
    return explainWait(limit, books.totals(limit?.path ?? []));
  }

  /** Other processes give back without a signal: while a request waits, the file is read again from time to time. */
  #poll(): void {
    const { ledger, clock } = this.#options;
    if (!ledger.isShared || this.#stopPolling) return;
    if (this.#polls++ % buryEvery === 0) this.buryDead();
    this.#serve();
    if (this.#queues.foreground.size + this.#queues.background.size === 0) {
      this.#polls = 0;
      return;
    }
    this.#stopPolling = clock.after(pollMs, () => {
      this.#stopPolling = undefined;
      this.#poll();
    });
  }
}

const pollMs = 100;
/** Looking up a process can be slow on some systems. */
const buryEvery = 20;

function finish(waiting: Waiting, queue: Set<Waiting>, answer: TreasuryAnswer): void {
  if (!queue.delete(waiting)) return;
  waiting.answer = answer;
  waiting.resolve(answer);
}

function buildSettlement(
  { id, model, microUsd, tokens }: ReserveRecord,
  end: SettleEnd,
  at: string,
): SettleRecord {
  const base = { type: 'settle', id, at, model } as const;
  // If the price of the model that answered is unknown, the reservation's is used.
  if (end.how === 'reported') {
    const { holdsRest, ...reported } = end;
    const cost = end.microUsd ?? microUsd;
    const held = {
      microUsd: Math.max(0, (microUsd ?? 0) - (cost ?? 0)),
      tokens: Math.max(0, tokens - end.tokens),
    };
    return { ...base, ...reported, microUsd: cost, held: holdsRest ? held : undefined };
  }
  if (end.how === 'reserved') return { ...base, how: end.how, usage: noUsage, microUsd, tokens };
  return { ...base, how: end.how, usage: noUsage, microUsd: microUsd === null ? null : 0, tokens: 0 };
}
