import type { Clock } from '../lib/clock.ts';
import { type WatchDirectory, watchDirectory } from '../lib/files/watch-directory.ts';

/** A burst of changes is one call. */
const gatherMs = 10;
/** Not every file system tells of changes: those are noticed by looking. */
const lookMs = 5_000;

/** Calls back soon after names in a directory changed, and now and then in any case. The callback looks for itself. */
export function watchFiles(
  directory: string,
  clock: Clock,
  changed: () => void,
  watch: WatchDirectory = watchDirectory,
): () => void {
  let cancelSoon: (() => void) | undefined;
  const unwatch = watch(directory, () => {
    cancelSoon ??= clock.after(
      gatherMs,
      () => {
        cancelSoon = undefined;
        changed();
      },
      'in the background',
    );
  });
  const look = () => {
    cancelLook = clock.after(lookMs, look, 'in the background');
    changed();
  };
  let cancelLook = clock.after(lookMs, look, 'in the background');
  return () => {
    unwatch();
    cancelSoon?.();
    cancelLook();
  };
}
