import { watch } from 'node:fs';

/** Calls back when names in a directory change, perhaps once for many changes. The returned function ends it. */
export type WatchDirectory = (directory: string, changed: () => void) => () => void;

/**
 * By the system. It may report nothing at all (a network file system, a used-up limit of watches), so there must be a slow look
 * behind it. It does not keep the process alive.
 */
export const watchDirectory: WatchDirectory = (directory, changed) => {
  try {
    const watcher = watch(directory, { persistent: false }, changed);
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => {};
  }
};
