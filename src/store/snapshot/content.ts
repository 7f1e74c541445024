import { tellsMappedWrites } from '../../lib/mapped-writes.ts';
import { noteChanges } from './changes.ts';
import { isSameStamp, type SnapshotEntry, statEntry } from './entry.ts';
import { holdsBlob, isOnlyForGit } from './inspect.ts';
import type { SnapshotState } from './parts.ts';

/** Number of files read in one turn: looks after commands come between. */
const filesPerTurn = 200;

/**
 * Reads all covered files and records those whose bytes changed, also where their times did not: a program can write to a
 * file through a mapping without changing them. It takes as long as the first look, so no command waits for it.
 */
export class ContentReader {
  /** A command ended since all files were last read. */
  #isUnread = false;

  constructor(
    private readonly state: SnapshotState,
    private readonly takeTurn: (act: () => Promise<void>) => Promise<void>,
  ) {}

  noteCommand(): void {
    this.#isUnread = true;
  }

  /**
   * Whether a command may have written something that only reading finds. Where file times reveal it, the look after the
   * command finds it.
   */
  get isNeeded(): boolean {
    return this.#isUnread && !this.tellsMapped;
  }

  /** Whether a command's write through a mapping changes file times here. */
  get tellsMapped(): boolean {
    return [...this.state.cover.tops].every(tellsMappedWrites);
  }

  /** Once after the last command: later writes are not a command's. While a command runs, only a rewind reads. */
  async read(isForRewind: boolean): Promise<void> {
    const { cover, windows, signal } = this.state;
    const isRunning = () => windows.all.size > 0;
    if (!isForRewind && (!this.isNeeded || isRunning())) return;
    if (!this.#isUnread && !isRunning()) return;
    const paths = [...cover.entries.keys()];
    for (let at = 0; at < paths.length; at += filesPerTurn) {
      if (signal.aborted || (!isForRewind && isRunning())) return;
      await this.takeTurn(() => lookAtContent(this.state, paths.slice(at, at + filesPerTurn)));
    }
    if (!isRunning()) this.#isUnread = false;
  }
}

async function lookAtContent(state: SnapshotState, paths: readonly string[]): Promise<void> {
  const { cover, parts, pace } = state;
  const changed: string[] = [];
  for (const path of paths) {
    const entry = cover.entries.get(path);
    if (!entry || parts.isEdited(path) || !isKnownByContent(entry)) continue;
    if (!isOnlyForGit(entry) || !(await isStillBlob(state, path, entry))) changed.push(path);
  }
  await noteChanges(changed, state, () => pace.step());
}

/** Links are never written to. Unreadable and too large files have nothing to compare with. */
function isKnownByContent({ mode, state, blob, isAssumed }: SnapshotEntry): boolean {
  if (mode === undefined || isAssumed) return false;
  return state === undefined ? blob !== undefined : !state.startsWith('unkept');
}

/** A file that is too large to be kept is read in pieces; a change of its times is recorded elsewhere. */
async function isStillBlob({ pace }: SnapshotState, path: string, entry: SnapshotEntry): Promise<boolean> {
  const stat = statEntry(path);
  if (!entry.blob || !stat || !isSameStamp(entry, stat)) return true;
  return holdsBlob(path, entry, entry.blob.id, () => pace.step());
}
