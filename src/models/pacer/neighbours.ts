import type { Clock } from '../../lib/clock.ts';
import type { Ease, Estimate, Hold, PacingNote } from './note.ts';
import type { Neighbour, PacerStore } from './store.ts';

/** The other processes that use the same model, and this one's place among them. */
export class Neighbours {
  #others = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #seenHolds = new Map<string, number>();
  #told: { sessions: number; at: number } | undefined;
  /** Sessions of this process that have requests here. */
  sessions = 0;

  constructor(
    private readonly model: string,
    private readonly store: PacerStore | undefined,
    private readonly clock: Clock,
  ) {}

  /** This process's share of the common limit. */
  get share(): number {
    const own = Math.max(1, this.sessions);
    return own / (own + this.#others);
  }

  /** Undefined when there is nothing new. A process can die silently, so they are checked from time to time. */
  look(now: number): readonly Neighbour[] | undefined {
    if (!this.store) return undefined;
    const isOld = this.#others > 0 && now - this.#readAt >= lookEveryMs;
    if (!isOld && !this.store.hasNews(this.model)) return undefined;
    this.#readAt = now;
    const peers = this.store.read(this.model);
    this.#others = peers.reduce((sum, peer) => sum + (peer.isAlive ? peer.note.sessions : 0), 0);
    return peers;
  }

  /**
   * Each hold is applied once, and for no longer than its original length: the wall clock, which processes share, may
   * jump.
   */
  newHolds(peers: readonly Neighbour[]): { hold: Hold; forMs: number }[] {
    const wallNow = this.clock.now();
    const seen = this.#seenHolds;
    this.#seenHolds = new Map(peers.flatMap(({ name, note }) => (note.hold ? [[name, note.hold.at]] : [])));
    return peers.flatMap(({ name, note: { hold } }) => {
      if (!hold || seen.get(name) === hold.at) return [];
      const forMs = Math.min(hold.at + hold.delayMs - wallNow, hold.delayMs);
      return forMs > 0 ? [{ hold, forMs: Math.ceil(forMs) + 1 }] : [];
    });
  }

  /** Notes of dead processes are kept for as long as they are relevant. */
  forgetUseless(peers: readonly Neighbour[], newest: Estimate | undefined, ease: Ease | undefined): void {
    const wallNow = this.clock.now();
    for (const peer of peers)
      if (!peer.isAlive && isUseless(peer.note, newest, ease, wallNow)) this.store?.forget(this.model, peer);
  }

  tell(note: Omit<PacingNote, 'sessions'>, now: number): void {
    this.#told = { sessions: this.sessions, at: now };
    this.store?.publish(this.model, { sessions: this.sessions, ...note });
  }

  /** Whether the others should hear how many sessions there are now. */
  isWorthTelling(now: number): boolean {
    const last = this.#told ?? { sessions: 0, at: 0 };
    if (!this.store || this.sessions === last.sessions) return false;
    return this.sessions === 0 || last.sessions === 0 || now - last.at >= tellEveryMs;
  }

  /** Processes that share a pace keep apart from each other. Monotonic; undefined if there are no others. */
  takeSlot(now: number, gapMs: number): number | undefined {
    if (!this.store || this.#others === 0 || gapMs === 0) return undefined;
    const wallNow = this.clock.now();
    const waitMs = this.store.takeSlot(this.model, wallNow, gapMs) - wallNow;
    return now + Math.min(Math.max(0, waitMs), maxSlotMs);
  }
}

/** How long a learnt limit is trusted. */
export const memoryMs = 600_000;
/** How long it is trusted that so many requests are accepted. A refusal takes that back at once. */
export const easeMemoryMs = 3_600_000;

function isUseless(
  { hold, estimate, ease }: PacingNote,
  newest: Estimate | undefined,
  known: Ease | undefined,
  now: number,
): boolean {
  const isOver = (at: number, ms: number) => at + ms <= now || at > now + memoryMs;
  if (hold && !isOver(hold.at, hold.delayMs)) return false;
  // The one that is known here is kept: this process may never publish its own.
  if (ease && known?.at === ease.at) return false;
  return !estimate || isOver(estimate.refusedAt, memoryMs) || estimate.refusedAt < (newest?.refusedAt ?? 0);
}

const lookEveryMs = 2_000;
const tellEveryMs = 500;
const maxSlotMs = 30_000;
