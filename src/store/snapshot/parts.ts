import type { Clock } from '../../lib/clock.ts';
import type { Result } from '../../lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../../protocol/record.ts';
import type { GitHealth } from '../../workspace/git/health.ts';
import { nameFiles } from '../../workspace/worktrees/words.ts';
import type { ChangeParts } from './changes.ts';
import type { OtherPlaces } from './cover.ts';
import type { IgnoreRules } from './ignore.ts';
import { type Listing, listFiles, maxRepositories } from './listing.ts';
import type { BackgroundPace } from './pace.ts';

export interface SnapshotParts {
  /** The directory with the kept bytes. */
  directory: string;
  /** The state on disk, in case this process is killed. */
  journal: string;
  /** Read-only use: writes nothing except kept bytes. */
  isLook?: boolean;
  /** The directories that commands work in, as real paths. */
  roots(): readonly string[];
  /** Not covered as a whole. */
  userHome: string;
  env: Record<string, string>;
  append(record: FileHistoryRecord | CommandFilesRecord): Result<void>;
  /** False once another process has the session: its files are no longer ours. */
  mayWrite?: (() => boolean) | undefined;
  /** Its wall clock is compared with the times of files. */
  clock: Clock;
  /** Files that agents edited are followed by the ledger. */
  isEdited(path: string): boolean;
  /** Directories with their own undo, such as agents' worktrees. */
  isApart(path: string): boolean;
  /** The newest record of each file that an earlier run of the session changed. */
  earlier?: readonly FileHistoryRecord[];
  /** More files than this are not covered. */
  maxFiles?: number;
}

const defaultMaxFiles = 20_000;

/** State shared by the looks at the workspace. */
export interface SnapshotState extends ChangeParts {
  parts: SnapshotParts;
  pace: BackgroundPace;
  ignore: IgnoreRules;
  health: GitHealth;
  /** The tops of the repositories that covered files are in. */
  repositories: Set<string>;
  /** There are more files than are covered, or were. */
  isCut?: boolean;
  /** Why the snapshot does not know every file: applies to each command from then on. */
  incomplete?: string;
}

export function otherPlaces(state: SnapshotState): OtherPlaces {
  const { parts, signal, ignore } = state;
  return {
    env: parts.env,
    signal,
    ignore,
    isApart: (path) => parts.isApart(path),
    miss: (reason) => noteMissed(state, reason),
  };
}

/** Running and later commands may have changed what could not be read. */
export function noteMissed(state: SnapshotState, reason: string): void {
  state.incomplete ??= reason;
  for (const window of state.windows.all) window.unseen ??= reason;
}

/** Writes down what a look found, for the next process. */
export function noteLook({ journal, cover, ignore }: SnapshotState): void {
  journal.noteLook(cover.directories.takeUnwritten(), ignore.takeUnwritten());
}

/** The files to cover under some directories. */
export async function listCovered(
  state: SnapshotState,
  roots: Iterable<string>,
  prefersNew = false,
): Promise<Listing> {
  const { env, isApart, maxFiles = defaultMaxFiles } = state.parts;
  const listing = await listFiles([...roots], {
    env,
    maxFiles,
    prefersNew,
    isApart,
    signal: state.signal,
    ignore: state.ignore,
    miss: (reason) => noteMissed(state, reason),
  });
  const beyond = [
    ...(listing.isCut ? [`only ${maxFiles} files are covered`] : []),
    ...(listing.leftOut.length > 0 ? [describeLeftOut(listing.leftOut)] : []),
  ];
  if (beyond.length > 0) {
    state.isCut = true;
    noteMissed(state, beyond.join(', and '));
  }
  if (listing.oddNames > 0) noteMissed(state, 'files whose names are not valid UTF-8 are not covered');
  return listing;
}

/** By name: nothing in them is looked at, so that what commands change there stays. */
function describeLeftOut(repositories: readonly string[]): string {
  return `only ${maxRepositories} nested repositories are covered; changes that commands make in these are not undone: ${nameFiles(repositories)}`;
}
