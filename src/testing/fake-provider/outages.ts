import type { Clock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';

export interface OutageOptions {
  seed: number;
  /** The share of time in outage, by default a fifth. */
  share?: number;
  /** The average length of an outage, by default 5 s; each takes half to one and a half times that. */
  meanMs?: number;
}

/** Normal times and outages in turn, starting with a normal one: the same for the same seed. */
export function openOutages({ seed, share = 0.2, meanMs = 5_000 }: OutageOptions, clock: Clock) {
  const random = seededRandom(seed);
  const spread = (mean: number) => mean * (0.5 + random());
  const start = clock.monotonic();
  let until = spread((meanMs * (1 - share)) / share);
  let isOut = false;
  return {
    isOut(): boolean {
      const elapsed = clock.monotonic() - start;
      while (elapsed >= until) {
        isOut = !isOut;
        until += spread(isOut ? meanMs : (meanMs * (1 - share)) / share);
      }
      return isOut;
    },
  };
}
