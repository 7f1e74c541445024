import type { Clock } from '../../lib/clock.ts';
import type { BackgroundPace } from './pace.ts';

export interface WaitLimits {
  /** No file read for this long: something other than the number of files delays it. */
  stalledMs: number;
  allMs: number;
}

/** Lost files cost more than a short wait at the beginning of a session. */
export const firstWait: WaitLimits = { stalledMs: 10_000, allMs: 30_000 };
/** After a command had to start without it. */
export const laterWait: WaitLimits = { stalledMs: 1_000, allMs: 1_000 };

const checkMs = 250;

/** Resolves when the look is finished or makes no progress, or when the signal fires. */
export async function awaitLook(
  look: Promise<void>,
  limits: WaitLimits,
  { pace, clock }: { pace: BackgroundPace; clock: Clock },
  signal?: AbortSignal,
): Promise<void> {
  let isOver = signal?.aborted === true;
  const over = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true;
      signal?.removeEventListener('abort', end);
      resolve();
    };
    look.then(end, end);
    signal?.addEventListener('abort', end, { once: true });
  });
  const start = clock.monotonic();
  let last = { steps: pace.steps, at: start };
  while (!isOver) {
    await pace.atMost(checkMs, over);
    const now = clock.monotonic();
    if (pace.steps !== last.steps) last = { steps: pace.steps, at: now };
    if (now - last.at >= limits.stalledMs || now - start >= limits.allMs) return;
  }
}
