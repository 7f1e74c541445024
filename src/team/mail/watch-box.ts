import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { WatchDirectory } from '../../lib/files/watch-directory.ts';
import { watchFiles } from '../watch-files.ts';
import { stateDirectories } from './box-place.ts';
import { type BoxFiles, listMailFiles } from './read-box.ts';

/** Behind the system's watch, which may report nothing. */
export const pollMs = 2_000;

/** Several messages that come together are one call. */
const gatherMs = 5;

export interface BoxWatch {
  clock: Clock;
  watch: WatchDirectory;
  listener: () => void;
}

/** Calls back whenever a change, or the slow look behind it, finds anything in `new/`. At the start too. */
export function watchBox(box: BoxFiles, { clock, watch, listener }: BoxWatch): () => void {
  const directory = join(box.place.box(box.owner), stateDirectories.written);
  const check = () => {
    if (listMailFiles(box, stateDirectories.written).length > 0) listener();
  };
  return watchFiles(directory, clock, check, { watch, gatherMs, lookMs: pollMs, looksFirst: true });
}
