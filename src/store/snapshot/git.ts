import { RealPlaces } from '../../lib/files/real-places.ts';
import { hashGitBlob } from '../../lib/hash.ts';
import { findMissingBlobs } from '../../workspace/git/blobs.ts';
import type { UnreadFile } from './cover.ts';
import type { SnapshotEntry } from './entry.ts';
import { inspect } from './inspect.ts';
import type { SnapshotState } from './parts.ts';
import type { CommandWindow } from './windows.ts';

/** Before a command. While another one runs, its changes so far are not checked. */
export function lookAtGit({ health, repositories, windows }: SnapshotState): void {
  if (windows.all.size === 0) health.look(repositories);
  for (const _ of health.keep(repositories));
}

/** After a command: whether git can still read its data. Returns the repositories that lost objects. */
export async function checkGit(state: SnapshotState, window: CommandWindow): Promise<string[]> {
  const damage = await state.health.compare(state);
  const { said, repaired, moved, unstaged, operations, offered, lost } = damage;
  for (const one of said) window.lost.add(one);
  for (const one of repaired) window.repaired.add(one);
  window.moved.push(...moved);
  window.unstaged.push(...unstaged);
  window.operations.push(...operations);
  window.offered.push(...offered);
  return lost;
}

/** Objects that git had lost before any command: an index may still name them. */
export async function holdMissing(state: SnapshotState, files: readonly UnreadFile[]): Promise<void> {
  const { env, signal } = state;
  const missing = new Set<string>();
  for (const [root, own] of Map.groupBy(files, ({ listed }) => listed.root)) {
    const ids = new Set(own.flatMap(({ listed }) => listed.id ?? []));
    for (const id of await findMissingBlobs(root, [...ids], { env, signal })) missing.add(id);
  }
  signal.throwIfAborted();
  if (missing.size > 0) await holdFromFiles(state, ({ id }) => missing.has(id));
}

/** Files whose content only git held, and no longer does: while they exist, it is read from them. */
export async function holdFromFiles(
  state: SnapshotState,
  isLost: (blob: NonNullable<SnapshotEntry['blob']>) => boolean,
): Promise<void> {
  const { cover, store, journal, clock, pace } = state;
  const places = new RealPlaces();
  const held: string[] = [];
  try {
    for (const [path, entry] of cover.entries) {
      if (!entry.blob || entry.isKept || !isLost(entry.blob)) continue;
      const rest = pace.step();
      if (rest) places.close();
      await rest;
      const found = inspect(path, clock, places);
      if (!found?.bytes || found.entry.state === undefined || hashGitBlob(found.bytes) !== entry.blob.id)
        continue;
      const isKept = store.hold(found.bytes, found.entry.state);
      cover.entries.set(path, { ...entry, ...found.entry, isKept });
      held.push(path);
    }
  } finally {
    places.close();
  }
  journal.note(held.map((path) => [path, cover.entries.get(path)] as const));
}
