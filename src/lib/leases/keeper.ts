import type { Clock } from '../clock.ts';
import { type HeldLease, leaseMs } from './lease.ts';

const keepers = new WeakMap<Clock, LeaseKeeper>();

/** The one keeper of all leases that are held by a clock. */
export function findKeeper(clock: Clock): LeaseKeeper {
  const found = keepers.get(clock) ?? new LeaseKeeper(clock);
  keepers.set(clock, found);
  return found;
}

/**
 * Renews the leases of a process by one timer. A process that ends before the first renewal is due writes nothing for them, and
 * the timer does not keep it alive.
 */
export class LeaseKeeper {
  readonly #held = new Set<HeldLease>();
  #cancel: (() => void) | undefined;

  constructor(private readonly clock: Clock) {}

  keep(lease: HeldLease): void {
    // A process that was stopped looks at once when it goes on, and not at its next timer.
    if (this.#held.size === 0) process.on('SIGCONT', this.#look);
    this.#held.add(lease);
    this.#cancel ??= this.#wait();
  }

  drop(lease: HeldLease): void {
    this.#held.delete(lease);
    if (this.#held.size > 0) return;
    process.off('SIGCONT', this.#look);
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #wait(): () => void {
    return this.clock.after(leaseMs / 3, () => this.#renewAll(), 'in the background');
  }

  readonly #look = (): void => {
    for (const lease of [...this.#held]) if (lease.isDue && !lease.renew()) this.drop(lease);
  };

  #renewAll(): void {
    this.#cancel = undefined;
    this.#look();
    this.#cancel = this.#held.size > 0 ? this.#wait() : undefined;
  }
}
