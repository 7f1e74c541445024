import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import { type HookRun, withoutAnswer } from './hook-run.ts';

/**
 * Work that is given up after a time or when its signal fires. `cutOff` says which of the two it was, and is undefined
 * if neither has happened.
 */
export async function withinTime(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal, cutOff: () => HookRun | undefined) => Promise<HookRun>,
): Promise<HookRun> {
  const controller = new AbortController();
  const unlink = linkAbort(signal, controller);
  let timedOut = false;
  const cancel = clock.after(timeoutMs, () => {
    timedOut = true;
    controller.abort();
  });
  const cutOff = (): HookRun | undefined => {
    if (timedOut) return withoutAnswer('timed_out');
    return signal.aborted ? withoutAnswer('cancelled') : undefined;
  };
  try {
    return await work(controller.signal, cutOff);
  } finally {
    cancel();
    unlink();
  }
}
