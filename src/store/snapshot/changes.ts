import { dirname, join } from 'node:path';
import { type Clock, timestamp } from '../../lib/clock.ts';
import { RealPlaces } from '../../lib/files/real-places.ts';
import { hashBytes, hashGitBlob } from '../../lib/hash.ts';
import type { Result } from '../../lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../protocol/record.ts';
import { readBlobs } from '../../workspace/git/blobs.ts';
import { locateKept } from '../../workspace/git/kept-objects.ts';
import { findGitData } from '../../workspace/git/objects.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { isSameLook } from '../files/file-look.ts';
import type { Cover } from './cover.ts';
import { describeLook, describeUnread, isSameTime, type SnapshotEntry, statEntry } from './entry.ts';
import { type Inspected, inspect, maxBlobBytes } from './inspect.ts';
import type { SnapshotJournal } from './journal.ts';
import type { SnapshotStore } from './keep.ts';
import type { Author, CommandWindows } from './windows.ts';

export interface ChangeParts {
  cover: Cover;
  windows: CommandWindows;
  store: SnapshotStore;
  journal: SnapshotJournal;
  append(record: FileHistoryRecord | CommandFilesRecord): Result<void>;
  clock: Clock;
  env: Record<string, string>;
  /** Fires when the session closes: git is stopped. */
  signal: AbortSignal;
  /** Files that records of this session name. */
  noted: Set<string>;
  /** The directory with git's objects that a command could delete. */
  gitObjects: string;
}

interface Change {
  path: string;
  before: SnapshotEntry | undefined;
  now: Inspected | undefined;
  author: Author;
}

/** Reads files that may have changed, and records each change with its author. */
export async function noteChanges(
  paths: Iterable<string>,
  parts: ChangeParts,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const changes: Change[] = [];
  const places = new RealPlaces();
  try {
    for (const path of paths) {
      const rest = pause();
      // No directory is held while others run: it could be moved.
      if (rest) places.close();
      await rest;
      const change = findChange(path, parts, places);
      if (change) changes.push(change);
    }
  } finally {
    places.close();
  }
  await fetchBefore(changes, parts, pause);
  const settled: [string, SnapshotEntry | undefined][] = [];
  try {
    for (const change of changes) {
      await pause();
      settled.push([change.path, noteChange(change, parts)]);
    }
  } finally {
    // Also when the session closes meanwhile: the next process does not record these changes again.
    if (settled.length > 0) parts.journal.note(settled);
  }
}

/** A file changed before any command started is taken as it is now. False where a command may have changed it. */
export function takeAsBefore(path: string, parts: ChangeParts): boolean {
  const change = findChange(path, parts);
  if (!change) return true;
  if (change.author.by !== 'before') return false;
  parts.journal.note([[path, noteChange(change, parts)]]);
  return true;
}

/** Undefined where the content is unchanged. */
function findChange(
  path: string,
  { cover, windows, clock }: ChangeParts,
  lent?: RealPlaces,
): Change | undefined {
  const before = cover.entries.get(path);
  const now = inspect(path, clock, lent);
  if (!before && !now) return undefined;
  if (before && now && isTouchedOnly(before, now)) {
    const { blob, isKept, isNoted, heldSince = before.stamp?.ctime } = before;
    cover.entries.set(path, {
      ...now.entry,
      ...(blob ? { blob } : {}),
      ...flags({ isKept, isNoted }),
      ...(heldSince === undefined ? {} : { heldSince }),
    });
    return undefined;
  }
  const author = findChangeAuthor(path, now, cover, windows);
  const isMapped = author.by === 'before' && before && now && isSameTime(before, now.entry);
  return { path, before, now, author: isMapped ? windows.findMappedAuthor() : author };
}

/**
 * A file in a directory that was moved there has its old times: then the time of the directory counts. But a directory's
 * time changes with every name in it, also later ones of others, so what changed in a command's time stays the command's.
 */
function findChangeAuthor(
  path: string,
  now: Inspected | undefined,
  { directories }: Cover,
  windows: CommandWindows,
): Author {
  const changed = now?.changedAt ?? now?.entry.stamp?.ctime;
  if (changed === undefined) return windows.findAuthor(findRemovalTime(path), now === undefined);
  const byMove = windows.findAuthor(directories.findTime(path, changed), false);
  const byChange = windows.findAuthor(changed, false);
  return byMove.by !== 'command' && byChange.by === 'command' ? byChange : byMove;
}

function isTouchedOnly(before: SnapshotEntry, { entry, bytes }: Inspected): boolean {
  if (before.mode !== entry.mode) return false;
  if (before.state !== undefined) return before.state === entry.state;
  return bytes !== undefined && before.blob?.id === hashGitBlob(bytes);
}

/** Removing a name changes its directory. A name found through a link is a different one. */
export function findRemovalTime(path: string): number {
  for (let up = dirname(path); ; up = dirname(up)) {
    const stat = statEntry(up);
    if (up === dirname(up)) return stat?.ctimeMs ?? 0;
    if (stat?.isDirectory() && resolveRealPath(up) === up) return stat.ctimeMs;
  }
}

/** Keeps git's copy of each file that a command changed: the objects may be gone by the time of a rewind. */
async function fetchBefore(
  changes: readonly Change[],
  { store, env, signal, gitObjects }: ChangeParts,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const wanted = new Map<string, Map<string, SnapshotEntry[]>>();
  for (const { before, author } of changes) {
    if (!before?.blob || before.isKept || author.by === 'before') continue;
    const { root, id } = before.blob;
    const ofRoot = wanted.get(root) ?? new Map<string, SnapshotEntry[]>();
    wanted.set(root, ofRoot);
    ofRoot.set(id, [...(ofRoot.get(id) ?? []), before]);
  }
  for (const [root, entries] of wanted) {
    const blobs = [...entries].map(([id, [first]]) => ({ id, size: first?.blob?.size ?? 0 }));
    const small = blobs.filter(({ size }) => size <= maxBlobBytes);
    const place = store.directory;
    const kept = findKept(gitObjects, root);
    const problem = await readBlobs(root, small, { env, signal, place, ...kept }, (id, bytes) => {
      const hash = hashBytes(bytes);
      for (const entry of entries.get(id) ?? []) {
        // Git converted it: the file did not hold these bytes.
        if (entry.blob?.size !== bytes.length) continue;
        entry.state = hash;
        entry.isKept = store.keep(bytes, hash);
      }
    });
    // Content that git was not allowed to finish reading is not lost.
    signal.throwIfAborted();
    await pause();
    for (const entry of [...entries.values()].flat()) entry.state ??= describeLost(entry, problem);
  }
}

/** A checkout without its git directory had the usual one. */
function findKept(gitObjects: string, root: string): { kept: string } {
  const shared = findGitData(root)?.shared ?? join(root, '.git');
  return { kept: locateKept(gitObjects, shared) };
}

function describeLost({ isAssumed }: SnapshotEntry, problem: string | undefined): string {
  if (isAssumed) return describeUnread;
  return problem === undefined
    ? 'unkept: git no longer has its content'
    : `unkept: git could not be asked for its content (${problem})`;
}

/** Returns the known state of the file from now on. */
function noteChange({ path, before, now, author }: Change, parts: ChangeParts): SnapshotEntry | undefined {
  const { cover, store, clock } = parts;
  const entry = now?.entry;
  const isOurs = author.by === 'command';
  // The user's own changes to files that no command changed are not recorded.
  const isNoted = isOurs || author.by === 'unknown' || before?.isNoted === true;
  const from = before ? describeLook(before) : { hash: null };
  const to = entry ? describeLook(entry) : { hash: null };
  const isRecorded = isNoted && !isSameLook(from, to);
  if (entry && now.bytes && entry.state !== undefined)
    entry.isKept = isRecorded ? store.keep(now.bytes, entry.state) : store.hold(now.bytes, entry.state);
  if (isRecorded) {
    if (from.hash !== null) store.keepHeld(from.hash);
    const { toolUseId = '', agentId } = isOurs ? author.window : {};
    const noted = parts.append({
      type: 'file-history',
      timestamp: timestamp(clock),
      toolUseId,
      path,
      before: from.hash,
      after: to.hash,
      cause: isOurs ? 'shell' : 'outside',
      mode: from.mode,
      modeAfter: to.mode,
      agentId,
      ...(isOurs && author.isShared ? { isShared: true as const } : {}),
      ...describeBefore(before),
    });
    if (noted.ok && isOurs) author.window.files++;
    parts.noted.add(path);
  }
  if (!entry) {
    cover.entries.delete(path);
    return undefined;
  }
  const known = { ...entry, ...flags({ isKept: entry.isKept, isNoted }) };
  cover.entries.set(path, known);
  cover.directories.cover(path, cover.tops);
  return known;
}

/** The earlier state of the file, for a rewind. */
function describeBefore(
  before: SnapshotEntry | undefined,
): Pick<FileHistoryRecord, 'changedAt' | 'isFromGit'> {
  if (!before || before.isNoted) return {};
  const { stamp, isAssumed, blob, state, heldSince = stamp?.ctime } = before;
  return {
    changedAt: heldSince === undefined ? undefined : new Date(heldSince).toISOString(),
    isFromGit: (isAssumed && blob && state !== describeUnread) || undefined,
  };
}

function flags(given: { isKept?: boolean | undefined; isNoted?: boolean | undefined }): {
  isKept?: true;
  isNoted?: true;
} {
  return { ...(given.isKept ? { isKept: true } : {}), ...(given.isNoted ? { isNoted: true } : {}) };
}
