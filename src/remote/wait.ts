import type { Clock } from '../lib/clock.ts';
import type { Engine } from './engine.ts';

/** Waits for the bell, and not longer than a while: it may be lost. */
export interface Waiter {
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  /** Ends the waits in progress, or the next one. */
  wake(): void;
  close(): void;
}

export function openWaiter(engine: Engine, clock: Clock, isMeant: (topic: string) => boolean): Waiter {
  let isRung = false;
  const waiting = new Set<() => void>();
  const ring = () => {
    isRung = waiting.size === 0;
    for (const wake of [...waiting]) wake();
  };
  const stop = engine.listen((topic) => {
    if (isMeant(topic)) ring();
  });
  return {
    wait(ms, signal) {
      const isOver = isRung || signal?.aborted;
      isRung = false;
      if (isOver) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          cancel();
          waiting.delete(wake);
          signal?.removeEventListener('abort', wake);
          resolve();
        };
        const cancel = clock.after(ms, wake);
        waiting.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    wake: ring,
    close: stop,
  };
}
