import type { Clock } from '../lib/clock.ts';
import type { TakenJob } from './engine.ts';

export interface HeldLease {
  /** Aborted when the job is another worker's, or may be. */
  readonly signal: AbortSignal;
  lose(): void;
  stop(): void;
}

/**
 * Renews the lease of a job while it runs. Where the engine does not answer for the time of a lease, the job may be another worker's by
 * then: it is given up, as it is when the engine says so.
 */
export function holdLease(taken: TakenJob, clock: Clock, leaseMs: number): HeldLease {
  const lost = new AbortController();
  let renewedAt = clock.monotonic();
  let cancel = () => {};
  let isOver = false;
  const lose = () => {
    isOver = true;
    cancel();
    lost.abort('the job was passed on');
  };
  const renew = async () => {
    const asked = clock.monotonic();
    const renewed = await taken.renew();
    if (isOver) return;
    if (renewed.ok && renewed.value) renewedAt = asked;
    if ((renewed.ok && !renewed.value) || clock.monotonic() - renewedAt > leaseMs) return lose();
    cancel = clock.after(leaseMs / 4, renew);
  };
  cancel = clock.after(leaseMs / 4, renew);
  return {
    signal: lost.signal,
    lose,
    stop() {
      isOver = true;
      cancel();
    },
  };
}
