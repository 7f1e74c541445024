import type { Stats } from 'node:fs';
import { timestamp } from '../../lib/clock.ts';
import { tickMs } from '../../lib/files/change-time.ts';
import { noteChanges, takeAsBefore } from './changes.ts';
import type { ChangedOther } from './directories.ts';
import { isSameStamp, statEntry } from './entry.ts';
import type { ListedFile } from './file-list.ts';
import type { Listing } from './listing.ts';
import { refreshRules } from './new-directories.ts';
import { listCovered, noteLook, otherPlaces, type SnapshotState } from './parts.ts';
import type { CommandWindow } from './windows.ts';

const maxNamed = 20;
/** References and staged files: what is not in the record is not named by a rewind. */
const maxMoved = 200;

/** Looks at all covered files, records changes, and closes the windows of commands that ended before. */
export async function lookAtAll(state: SnapshotState): Promise<void> {
  const { cover, windows, pace } = state;
  const ended = windows.ended();
  const fresh = await findNew(state);
  const changed = await findChanged(state);
  await noteChanges([...changed, ...fresh].toSorted(), state, () => pace.step());
  for (const other of cover.directories.changedOthers()) noteUncovered(state, other);
  cover.directories.endRound();
  noteLook(state);
  for (const window of ended) closeWindow(state, window);
}

/** The command's own record: it is complete, or says why it is not. */
export function closeWindow({ parts, windows, journal }: SnapshotState, window: CommandWindow): void {
  const { toolUseId, agentId, files, uncovered, unseen, lost, repaired, moved } = window;
  const { unstaged, operations, offered } = window;
  parts.append({
    type: 'command-files',
    timestamp: timestamp(parts.clock),
    toolUseId,
    files,
    agentId,
    uncovered: uncovered.size === 0 ? undefined : pickUncovered(uncovered),
    unseen,
    lost: lost.size === 0 ? undefined : [...lost].slice(0, maxNamed),
    repaired: repaired.size === 0 ? undefined : [...repaired].slice(0, maxNamed),
    references: moved.length === 0 ? undefined : moved.slice(0, maxMoved),
    unstaged: unstaged.length === 0 ? undefined : unstaged.slice(0, maxMoved),
    operations: operations.length === 0 ? undefined : operations,
    gitObjects: offered.length === 0 ? undefined : offered,
  });
  journal.end(toolUseId);
  windows.close(window);
}

/** What is missing first: the report ends with another exit code because of it. */
function pickUncovered(paths: ReadonlySet<string>): string[] {
  const missing = [...paths].filter((path) => statEntry(path) === undefined);
  return [...new Set([...missing, ...paths])].slice(0, maxNamed);
}

/** Files that the user saved just before a command starts. */
export function lookAtHot(state: SnapshotState, hot: readonly string[]): void {
  for (const path of hot) {
    const entry = state.cover.entries.get(path);
    const stat = statEntry(path);
    if (entry && stat && !isSameStamp(entry, stat) && !state.parts.isEdited(path)) takeAsBefore(path, state);
  }
}

/**
 * Files that commands changed before, and the user since: recorded before the next prompt, so that they are not taken for
 * later work.
 */
export async function lookAtNoted(state: SnapshotState): Promise<void> {
  const changed: string[] = [];
  for (const path of state.noted) {
    const entry = state.cover.entries.get(path);
    const stat = entry && statEntry(path);
    if (entry && (!stat || !isSameStamp(entry, stat)) && !state.parts.isEdited(path)) changed.push(path);
  }
  await noteChanges(changed, state, () => state.pace.step());
}

/** One file, before an agent edits it. A file that is not covered is left to the ledger. */
export async function lookAtFile(state: SnapshotState, path: string): Promise<void> {
  const { tops, entries, directories } = state.cover;
  const entry = entries.get(path);
  const stat = statEntry(path);
  if (entry && stat ? isSameStamp(entry, stat) && !entry.isFresh : !entry && !stat) return;
  if (!entry && directories.isOther(path)) return;
  if ([...tops].some((top) => path.startsWith(`${top}/`))) await noteChanges([path], state, () => undefined);
}

async function findChanged({ cover, parts, pace, windows }: SnapshotState): Promise<string[]> {
  const changed: string[] = [];
  // A command can change a file it has mapped, and had written to before an earlier look, without a new time until it ends.
  const mappedSince = Math.min(...windows.ended().map(({ at }) => at - tickMs));
  for (const [path, entry] of cover.entries) {
    const wait = pace.step();
    if (wait) await wait;
    if (parts.isEdited(path)) continue;
    const stat = cover.directories.isLost(path) ? undefined : statEntry(path);
    if (!stat || entry.isFresh || stat.ctimeMs >= mappedSince || !isSameStamp(entry, stat))
      changed.push(path);
  }
  return changed;
}

/** Git is asked only where a directory holds an unknown name. */
async function findNew(state: SnapshotState): Promise<string[]> {
  const { cover, parts, pace } = state;
  const { directories, entries, tops } = cover;
  const odd: string[] = [];
  for (const directory of directories.paths) {
    const wait = pace.step();
    if (wait) await wait;
    if (directories.look(directory, (path) => entries.has(path))) odd.push(directory);
  }
  await refreshRules(state, odd);
  if (odd.length === 0) return [];
  const listedAt = state.clock.now();
  const listing = await listCovered(state, tops, true);
  noteBroken(state, listing);
  // Ignored until now, or beyond the limit: it existed, and its content then is not known.
  const assumeOld = (path: string) =>
    entries.set(path, { isFresh: true, state: 'unkept: it was not covered then' });
  const fresh = [...listing.files].flatMap(([path, listed]) => {
    const stat = entries.has(path) || parts.isEdited(path) ? undefined : statEntry(path);
    if (!stat || (listing.broken.includes(listed.root) && !isMadeByCommand(state, stat))) return [];
    if (directories.isOther(path) || (state.isCut && !isSurelyNew(state, stat, listed))) assumeOld(path);
    return [path];
  });
  for (const path of fresh) odd.push(...directories.cover(path, tops));
  for (const directory of odd) directories.look(directory, () => true);
  const { others, late } = await cover.takeOthers(odd, {
    isKnown: (path) => entries.has(path) || listing.files.has(path),
    listedAt,
    ...otherPlaces(state),
  });
  for (const path of late.filter((one) => !parts.isEdited(one))) {
    if (state.isCut) assumeOld(path);
    fresh.push(path);
  }
  for (const other of others) noteUncovered(state, other);
  return fresh;
}

/** The user is notified: new files there are known only by the creation time that the system reports. */
function noteBroken({ windows }: SnapshotState, { broken }: Listing): void {
  const [root] = broken;
  if (root === undefined) return;
  for (const window of windows.all) window.unseen ??= `git can no longer read the repository in ${root}`;
}

/** By its creation time, which no program can set: a file that was ignored before must not pass for new. */
function isMadeByCommand({ windows }: SnapshotState, { birthtimeMs }: Stats): boolean {
  return birthtimeMs > 0 && windows.findAuthor(birthtimeMs, false).by === 'command';
}

/** Where not all files are covered, one that is not known may be one of the rest. What git tracks was there before. */
function isSurelyNew(state: SnapshotState, stat: Stats, { id }: ListedFile): boolean {
  return id === undefined && isMadeByCommand(state, stat);
}

function noteUncovered(state: SnapshotState, { path, time, isGone }: ChangedOther): void {
  if (state.cover.isApart(path, otherPlaces(state))) return;
  const author = state.windows.findAuthor(time, isGone === true);
  if (author.by === 'command') author.window.uncovered.add(path);
}
