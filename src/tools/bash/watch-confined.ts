import { type Clock, sleep } from '../../lib/clock.ts';
import type { RunningShell } from './process.ts';

export const offenceReason = 'It created protected paths, so it was stopped.';

/** Files made by a foreground command are removed when it ends. This one may run for days, so it is stopped for it. */
export function watchConfined(running: RunningShell, clock: Clock): { end(): boolean } {
  const over = new AbortController();
  let offended = false;
  const look = async () => {
    while (!over.signal.aborted) {
      await sleep(clock, watchMs, over.signal);
      if (over.signal.aborted || !running.confined?.offends()) continue;
      offended = true;
      running.kill();
      return;
    }
  };
  if (running.confined) void look();
  return {
    end() {
      over.abort();
      return offended;
    },
  };
}

const watchMs = 1000;
