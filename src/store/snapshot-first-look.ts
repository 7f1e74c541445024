import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalState } from './snapshot-journal.ts';
import { listCovered, otherPlaces, type SnapshotState } from './snapshot-parts.ts';
import { backgroundMs } from './snapshot-windows.ts';

/** Covers directories: from here on the content of the files below them is known. */
export async function coverMore(state: SnapshotState, roots: readonly string[]): Promise<void> {
  const { cover, windows, store, journal, pace } = state;
  watchTops(state, roots);
  await cover.take(await listCovered(state, roots), store, {
    pause: () => pace.step(),
    isLate: (time) => windows.authorAt(time, false).by !== 'before',
  });
  const isKnown = (path: string) => cover.entries.has(path);
  await cover.takeOthers(cover.directories.paths, { isKnown, ...otherPlaces(state) });
  for (const directory of cover.directories.paths) cover.directories.look(directory, isKnown);
  cover.directories.endRound();
  journal.note(cover.entries);
}

/** Takes over the state of an earlier process that was killed, and the commands whose end it did not see. */
export function takeLeft(state: SnapshotState, { entries, open }: JournalState): void {
  const { cover, windows, journal } = state;
  watchTops(state, findTops(state));
  for (const [path, entry] of entries) {
    cover.entries.set(path, entry);
    cover.directories.cover(path, cover.tops);
  }
  journal.note(entries);
  for (const command of open) {
    journal.begin(command);
    windows.begin(command).until = command.at + backgroundMs;
  }
}

/** Directories inside of others are covered with them. A whole home, or machine, is not a workspace. */
export function findTops({ parts }: SnapshotState): string[] {
  const roots = parts.roots().filter((root) => root !== '/' && root !== parts.userHome);
  const isInside = (root: string) => roots.some((other) => root.startsWith(`${other}/`));
  return [...new Set(roots)].filter((root) => !isInside(root) || existsSync(join(root, '.git')));
}

function watchTops({ cover }: SnapshotState, roots: readonly string[]): void {
  for (const root of roots) {
    cover.tops.add(root);
    cover.directories.watch(root);
  }
}
