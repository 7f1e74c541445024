import type { Clock } from '../lib/clock.ts';
import { type WatchDirectory, watchDirectory } from '../lib/files/watch-directory.ts';

export interface WatchPace {
  watch?: WatchDirectory | undefined;
  /** A burst of changes is one call. */
  gatherMs?: number;
  /** Not every file system tells of changes: those are noticed by looking. */
  lookMs?: number;
  /** Calls back at the start, too. */
  looksFirst?: boolean;
}

/** Calls back soon after names in a directory changed, and now and then in any case. The callback looks for itself. */
export function watchFiles(
  directory: string,
  clock: Clock,
  changed: () => void,
  { watch = watchDirectory, gatherMs = 10, lookMs = 5_000, looksFirst = false }: WatchPace = {},
): () => void {
  let cancelSoon: (() => void) | undefined;
  const lookNow = () => {
    cancelSoon = undefined;
    changed();
  };
  const lookSoon = () => {
    cancelSoon ??= clock.after(gatherMs, lookNow, 'in the background');
  };
  const look = () => {
    cancelLook = clock.after(lookMs, look, 'in the background');
    changed();
  };
  const unwatch = watch(directory, lookSoon);
  if (looksFirst) lookSoon();
  let cancelLook = clock.after(lookMs, look, 'in the background');
  return () => {
    unwatch();
    cancelSoon?.();
    cancelLook();
  };
}
