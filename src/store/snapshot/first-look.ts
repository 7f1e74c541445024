import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstLook, UnreadFile } from './cover.ts';
import { holdMissing } from './git.ts';
import type { JournalState } from './journal.ts';
import { listCovered, noteLook, noteMissed, otherPlaces, type SnapshotState } from './parts.ts';
import { backgroundMs } from './windows.ts';

/** Covers directories: from here on all files below them are known, without their content. */
export async function listMore(state: SnapshotState, roots: readonly string[]): Promise<UnreadFile[]> {
  const { cover, journal } = state;
  watchTops(state, roots);
  const listing = await listCovered(state, roots);
  const unread = await cover.list(listing, pacing(state));
  const isKnown = (path: string) => cover.entries.has(path);
  await cover.takeOthers(cover.directories.paths, { isKnown, ...otherPlaces(state) });
  const repositories = new Set([...roots, ...[...listing.files.values()].map(({ root }) => root)]);
  await state.ignore.learn(repositories, cover.directories.paths, state);
  for (const root of repositories) state.repositories.add(root);
  state.health.look(repositories);
  for (const _ of state.health.keep(repositories)) await state.pace.step();
  for (const directory of cover.directories.paths) cover.directories.look(directory, isKnown);
  cover.directories.endRound();
  journal.note(cover.entries);
  noteLook(state);
  journal.cover(cover.tops, state.isCut === true);
  return unread;
}

/** Reads the files: from here on their content is known. */
export async function readListed(state: SnapshotState, unread: readonly UnreadFile[]): Promise<void> {
  const { cover, store, journal } = state;
  try {
    await cover.take(unread, store, pacing(state));
    await holdMissing(state, unread);
  } finally {
    // Also when the session closes meanwhile: the next process finds what was read.
    journal.note(unread.map(({ path }) => [path, cover.entries.get(path)] as const));
  }
}

function pacing({ windows, pace }: SnapshotState): FirstLook {
  return {
    pause: () => pace.step(),
    isLate: (time) => windows.findAuthor(time, false).by !== 'before',
    hasCommand: () => windows.all.size > 0,
  };
}

/**
 * Takes over the state and commands of an earlier process that was killed or closed before it had recorded all changes by its
 * commands. Returns the tops it had not covered: the content of their files before those commands is unknown.
 */
export function takeLeft(
  state: SnapshotState,
  { entries, tops: covered, names, ignore, isCut, open, last }: JournalState,
  tops: readonly string[],
): string[] {
  const { cover, windows, journal } = state;
  const missing = tops.filter((top) => !covered.has(top));
  watchTops(
    state,
    tops.filter((top) => covered.has(top)),
  );
  for (const top of tops) state.repositories.add(top);
  for (const [path, entry] of entries) {
    if (entry.blob) state.repositories.add(entry.blob.root);
    cover.entries.set(path, entry);
    cover.directories.cover(path, cover.tops);
  }
  cover.directories.takeLeft(names);
  if (ignore) state.ignore.takeLeft(ignore);
  if (isCut) state.isCut = true;
  journal.note(entries);
  noteLook(state);
  journal.cover(cover.tops, isCut);
  if (last) windows.remember(last);
  for (const command of open) {
    journal.begin(command);
    const window = windows.begin(command);
    window.until = command.until ?? command.at + backgroundMs;
    if (command.unseen !== undefined) window.unseen = command.unseen;
    else if (missing.length > 0) window.unseen = unlisted;
  }
  return missing;
}

/** Why a command that started before all files were listed is incomplete. */
export const unlisted = 'the first scan of the files was not finished when it started';

/** Directories inside others are covered with them. A whole home, or machine, is not a workspace. */
export function findTops(state: SnapshotState): string[] {
  const { parts } = state;
  const all = parts.roots();
  const roots = all.filter((root) => root !== '/' && root !== parts.userHome);
  const [whole] = all.filter((root) => !roots.includes(root));
  if (whole !== undefined) noteMissed(state, describeWhole(whole));
  const isInside = (root: string) => roots.some((other) => root.startsWith(`${other}/`));
  return [...new Set(roots)].filter((root) => !isInside(root) || existsSync(join(root, '.git')));
}

function describeWhole(root: string): string {
  const what = root === '/' ? 'the root directory of the machine' : `a whole home directory (${root})`;
  return `${what} is never recorded as a working directory`;
}

function watchTops({ cover }: SnapshotState, roots: readonly string[]): void {
  for (const root of roots) {
    cover.tops.add(root);
    cover.directories.watch(root);
  }
}
