import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../protocol/record.ts';
import type { WatchedCommand } from '../protocol/tool.ts';
import { linkTarget } from './file-look.ts';
import { type ChangeParts, noteChanges, takeAsBefore } from './snapshot-changes.ts';
import { Cover, type OtherPlaces } from './snapshot-cover.ts';
import { EarlierFiles } from './snapshot-earlier.ts';
import { findHot, isSameStamp, statOf } from './snapshot-entry.ts';
import { type JournalState, readJournal, SnapshotJournal } from './snapshot-journal.ts';
import { SnapshotStore } from './snapshot-keep.ts';
import { type Listing, listFiles } from './snapshot-listing.ts';
import { Pace, Turns } from './snapshot-pace.ts';
import { backgroundMs, type CommandWindow, CommandWindows } from './snapshot-windows.ts';

export interface SnapshotParts {
  /** Holds the kept bytes. */
  directory: string;
  /** Where the state is written down for the case that this process is killed. */
  journal: string;
  /** Nothing is written but kept bytes: somebody only wants to know. */
  isLook?: boolean;
  /** The directories that commands work in, as real paths. */
  roots(): readonly string[];
  /** Not covered as a whole. */
  userHome: string;
  env: Record<string, string>;
  append(record: FileHistoryRecord | CommandFilesRecord): Result<void>;
  clock: Clock;
  /** Files that agents edited are looked after by the ledger. */
  isEdited(path: string): boolean;
  /** Directories that are somebody else's to undo, such as worktrees of agents. */
  isApart(path: string): boolean;
  /** The newest record of each file that an earlier run of the session changed. */
  earlier?: readonly FileHistoryRecord[];
  /** More files than this are not covered. */
  maxFiles?: number;
}

const defaultMaxFiles = 20_000;
/** A first command waits so long for the first look. */
const firstLookMs = 1_000;
const maxNamed = 20;
/** After so long somebody may have changed something. */
const staleMs = 2_000;

/**
 * Knows the content of every file that a command could destroy, so that it can be brought back: what is committed is in
 * git's objects, what is not is kept when it is first seen. Looking at everything takes some milliseconds for a thousand files: it
 * is done beside other work, after each command and before each prompt. Who changed a file is told by the time of
 * its last change, which nobody can set.
 */
export class WorkspaceSnapshot {
  readonly #cover = new Cover();
  readonly #windows = new CommandWindows();
  readonly #changes: ChangeParts;
  readonly #journal: SnapshotJournal;
  readonly #store: SnapshotStore;
  readonly #pace = new Pace();
  #ready: Promise<void> | undefined;
  #isReady = false;
  #isCut = false;
  /** Files that were changed lately: most likely to have changed again. */
  #hot: string[] = [];
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** What is found is compared with what was known when it was looked for. */
  readonly #turns = new Turns();
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #earlier: EarlierFiles;

  constructor(private readonly parts: SnapshotParts) {
    this.#journal = new SnapshotJournal(parts.journal, parts.isLook === true);
    this.#store = new SnapshotStore(parts.directory);
    this.#earlier = new EarlierFiles(parts.earlier ?? []);
    const { append, clock, env } = parts;
    this.#changes = {
      ...{ cover: this.#cover, windows: this.#windows, store: this.#store, journal: this.#journal },
      ...{ append: (record) => append(record), clock, env, noted: new Set() },
    };
  }

  /** An earlier process was killed, perhaps while a command ran. */
  get isCutOff(): boolean {
    return existsSync(this.parts.journal);
  }

  /** Begins the first look, once. */
  prepare(): Promise<void> {
    this.#ready ??= this.#lookFirst().finally(() => {
      this.#isReady = true;
    });
    return this.#ready;
  }

  /** Before a command that may write. Resolves when it may start. */
  async begin(toolUseId: string, agentId: string | null): Promise<WatchedCommand> {
    if (!this.#isReady) await this.#pace.hurry(() => this.#pace.atMost(firstLookMs, this.prepare()));
    if (this.#isReady) {
      const more = this.#tops().filter((root) => !this.#cover.tops.has(root));
      if (more.length > 0) await this.#pace.hurry(() => this.#coverMore(more));
      this.#lookAtHot();
    }
    const command = { toolUseId, ...(agentId === null ? {} : { agentId }), at: Date.now() };
    const window = this.#windows.begin(command);
    if (!this.#isReady) window.unseen = 'the first look at the files was not finished when it started';
    else if (this.#isCut) window.unseen = `only ${this.#maxFiles} files are covered`;
    this.#journal.begin(command);
    // Beside the command: what somebody changed before it started can still be told by its time.
    if (performance.now() - this.#lookedAt > staleMs) this.#want();
    let isOver = false;
    return {
      moveToBackground() {
        window.isBackground = true;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        // Times of files are finer than a millisecond.
        window.until = Date.now() + 1;
        this.#want();
      },
    };
  }

  /** Resolves when all is noted that commands changed so far. */
  async settle(): Promise<void> {
    if (!this.#ready && this.isCutOff) void this.prepare();
    if (!this.#ready) return this.#earlier.compare(this.#changes);
    await this.#pace.hurry(async () => {
      await this.#ready;
      if (this.#windows.all.size > 0) this.#want();
      await this.#running;
      await this.#turns.take(() => this.#lookAtNoted());
    });
  }

  /** Before an agent edits a file: what a command did to it is not the edit's work. */
  async settleFile(path: string): Promise<void> {
    if (!this.#ready) return;
    await this.#pace.hurry(async () => {
      await this.#ready;
      await this.#running;
      const entry = this.#cover.entries.get(path);
      const stat = statOf(path);
      const isSame = entry && stat ? isSameStamp(entry, stat) && !entry.isFresh : !entry && !stat;
      if (!isSame && this.#isBelowTop(path))
        await this.#turns.take(() => noteChanges([path], this.#changes, () => undefined));
    });
  }

  /** Somebody goes back, and the file is about to hold this. */
  expect(path: string, state: string | null, mode: number | undefined): void {
    this.#earlier.forget(path);
    if (!this.#ready) return;
    if (state === null) this.#cover.entries.delete(path);
    else {
      const look = { state, ...(mode === undefined || linkTarget(state) !== undefined ? {} : { mode }) };
      this.#cover.entries.set(path, { ...look, isFresh: true, isKept: true, isNoted: true });
    }
    this.#changes.noted.add(path);
  }

  #isBelowTop(path: string): boolean {
    return [...this.#cover.tops].some((top) => path.startsWith(`${top}/`));
  }

  /** For the end of the session: afterwards nothing is left that only the journal knows. */
  async close(): Promise<void> {
    if (!this.#ready) return;
    await this.settle();
    if (this.#windows.all.size === 0) this.#journal.remove();
  }

  /** One look is enough for all that is wanted before it begins. */
  #want(): void {
    this.#isWanted = true;
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #runAll(): Promise<void> {
    // Whoever waits for the command's result is served first.
    await this.#pace.rest();
    await this.#ready;
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#turns.take(() => this.#look());
      this.#lookedAt = performance.now();
    }
  }

  async #look(): Promise<void> {
    const ended = this.#windows.ended();
    const fresh = await this.#findNew();
    const changed = await this.#findChanged();
    await noteChanges([...changed, ...fresh].toSorted(), this.#changes, () => this.#pace.step());
    for (const { path, time } of this.#cover.directories.changedOthers()) this.#uncovered(path, time);
    this.#cover.directories.endRound();
    for (const window of ended) this.#close(window);
    this.#hot = findHot(this.#cover.entries);
  }

  async #findChanged(): Promise<string[]> {
    const changed: string[] = [];
    for (const [path, entry] of this.#cover.entries) {
      const wait = this.#pace.step();
      if (wait) await wait;
      if (this.parts.isEdited(path)) continue;
      const stat = this.#cover.directories.isLost(path) ? undefined : statOf(path);
      if (!stat || entry.isFresh || !isSameStamp(entry, stat)) changed.push(path);
    }
    return changed;
  }

  /** Git is asked only where a directory holds a name that is not known. */
  async #findNew(): Promise<string[]> {
    const { directories, entries, tops } = this.#cover;
    const odd: string[] = [];
    for (const directory of directories.paths) {
      const wait = this.#pace.step();
      if (wait) await wait;
      if (directories.look(directory, (path) => entries.has(path))) odd.push(directory);
    }
    if (odd.length === 0) return [];
    const listing = await this.#list(tops);
    const fresh = [...listing.files.keys()].filter(
      (path) => !entries.has(path) && !this.parts.isEdited(path) && statOf(path),
    );
    for (const path of fresh) odd.push(...directories.cover(path, tops));
    for (const directory of odd) directories.look(directory, () => true);
    const others = await this.#cover.takeOthers(odd, {
      isKnown: (path) => entries.has(path) || listing.files.has(path),
      ...this.#places(),
    });
    for (const { path, time } of others) this.#uncovered(path, time);
    return fresh;
  }

  #places(): OtherPlaces {
    return { isApart: (path) => this.parts.isApart(path), env: this.parts.env };
  }

  #uncovered(path: string, time: number): void {
    if (this.#cover.isApart(path, this.#places())) return;
    const author = this.#windows.authorAt(time, false);
    if (author.by === 'command') author.window.uncovered.add(path);
  }

  #close(window: CommandWindow): void {
    const { toolUseId, agentId, files, uncovered, unseen } = window;
    this.parts.append({
      ...{ type: 'command-files', timestamp: timestamp(this.parts.clock), toolUseId, files },
      ...(agentId === undefined ? {} : { agentId }),
      ...(uncovered.size === 0 ? {} : { uncovered: [...uncovered].slice(0, maxNamed) }),
      ...(unseen === undefined ? {} : { unseen }),
    });
    this.#journal.end(toolUseId);
    this.#windows.all.delete(window);
  }

  /** Work of the user's, saved a moment ago. */
  #lookAtHot(): void {
    if (this.#turns.isTaken) return;
    for (const path of this.#hot) {
      const entry = this.#cover.entries.get(path);
      const stat = statOf(path);
      if (entry && stat && !isSameStamp(entry, stat) && !this.parts.isEdited(path))
        takeAsBefore(path, this.#changes);
    }
  }

  /** Files that commands changed, and somebody else since: before the next prompt, so that it is not taken for later work. */
  async #lookAtNoted(): Promise<void> {
    const changed: string[] = [];
    for (const path of this.#changes.noted) {
      const entry = this.#cover.entries.get(path);
      const stat = entry && statOf(path);
      if (entry && (!stat || !isSameStamp(entry, stat)) && !this.parts.isEdited(path)) changed.push(path);
    }
    await noteChanges(changed, this.#changes, () => this.#pace.step());
  }

  async #lookFirst(): Promise<void> {
    const left = readJournal(this.parts.journal);
    if (left) await this.#takeLeft(left);
    else await this.#coverMore(this.#tops());
    const hasEarlier = this.#earlier.handOver(this.#changes, (path) => this.parts.isEdited(path));
    if (left || hasEarlier) await this.#look();
    this.#hot = findHot(this.#cover.entries);
  }

  /** What an earlier process knew when it was killed, and the commands that it did not see the end of. */
  async #takeLeft({ entries, open }: JournalState): Promise<void> {
    const { directories, tops } = this.#cover;
    for (const root of this.#tops()) {
      tops.add(root);
      directories.watch(root);
    }
    for (const [path, entry] of entries) {
      this.#cover.entries.set(path, entry);
      directories.cover(path, tops);
    }
    this.#journal.note(entries);
    for (const command of open) {
      this.#journal.begin(command);
      this.#windows.begin(command).until = command.at + backgroundMs;
    }
  }

  async #coverMore(roots: readonly string[]): Promise<void> {
    const { directories, tops, entries } = this.#cover;
    for (const root of roots) {
      tops.add(root);
      directories.watch(root);
    }
    await this.#cover.take(await this.#list(roots), this.#store, {
      pause: () => this.#pace.step(),
      isLate: (time) => this.#windows.authorAt(time, false).by !== 'before',
    });
    const isCovered = (path: string) => entries.has(path);
    await this.#cover.takeOthers(directories.paths, { isKnown: isCovered, ...this.#places() });
    for (const directory of directories.paths) directories.look(directory, isCovered);
    directories.endRound();
    this.#journal.note(entries);
  }

  get #maxFiles(): number {
    return this.parts.maxFiles ?? defaultMaxFiles;
  }

  /** Directories inside of others are covered with them. A whole home, or machine, is not a workspace. */
  #tops(): string[] {
    const roots = this.parts.roots().filter((root) => root !== '/' && root !== this.parts.userHome);
    const isInside = (root: string) => roots.some((other) => root.startsWith(`${other}/`));
    return [...new Set(roots)].filter((root) => !isInside(root) || existsSync(join(root, '.git')));
  }

  async #list(roots: Iterable<string>): Promise<Listing> {
    const { env, isApart } = this.parts;
    const listing = await listFiles([...roots], { env, maxFiles: this.#maxFiles, isApart });
    if (listing.isCut || listing.oddNames > 0) this.#isCut = true;
    return listing;
  }
}
