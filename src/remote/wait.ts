import type { Clock } from '../lib/clock.ts';
import type { Engine } from './engine.ts';

/** Waits for the bell, and not longer than a while: it may be lost. */
export interface Waiter {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends the wait, or the next one. */
  wake(): void;
  close(): void;
}

export function openWaiter(engine: Engine, clock: Clock, isMeant: (topic: string) => boolean): Waiter {
  let isRung = false;
  let wake = () => {};
  const ring = () => {
    isRung = true;
    wake();
  };
  const stop = engine.listen((topic) => {
    if (isMeant(topic)) ring();
  });
  return {
    async wait(ms, signal) {
      if (!isRung && !signal?.aborted)
        await new Promise<void>((resolve) => {
          const cancel = clock.after(ms, () => wake());
          wake = () => {
            cancel();
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          signal?.addEventListener('abort', wake, { once: true });
        });
      wake = () => {};
      isRung = false;
    },
    wake: ring,
    close: stop,
  };
}
