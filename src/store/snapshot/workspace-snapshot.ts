import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatError } from '../../lib/result.ts';
import type { WatchedCommand } from '../../protocol/tool.ts';
import { GitHealth } from '../../workspace/git/health.ts';
import { linkTarget } from '../files/file-look.ts';
import { findRemovalTime } from './changes.ts';
import { ContentReader } from './content.ts';
import { Cover } from './cover.ts';
import { EarlierFiles } from './earlier.ts';
import { findHot, statEntry } from './entry.ts';
import { findTops, listMore, readListed, takeLeft, unlisted } from './first-look.ts';
import { describeGaps } from './gaps.ts';
import { checkGit, holdFromFiles, lookAtGit } from './git.ts';
import { IgnoreRules } from './ignore.ts';
import { readJournal, SnapshotJournal } from './journal.ts';
import { SnapshotStore } from './keep.ts';
import { closeWindow, lookAtAll, lookAtFile, lookAtHot, lookAtNoted } from './look.ts';
import { BackgroundPace, SerialWork } from './pace.ts';
import { SnapshotPack } from './pack.ts';
import { noteMissed, type SnapshotParts, type SnapshotState } from './parts.ts';
import { awaitLook, firstWait, laterWait } from './wait.ts';
import { backgroundMs, type CommandWindow, CommandWindows } from './windows.ts';

/** The end of a session waits at most this long for the last look; the next process continues it. */
const closeMs = 3_000;
/** After this time the last look is considered stale. */
const staleMs = 2_000;

/**
 * Knows the content of every file that a command could destroy, so that it can be restored: committed content is in git's
 * objects, other content is held from when it is first seen. The first look lists all files, then reads them; the first
 * command waits for it. A later look at a thousand files takes some milliseconds: it runs in the background, after each
 * command and before each prompt. The author of a change is found by the time of the last change, which no program can set.
 *
 * Nothing here rejects: a look that fails makes the open commands incomplete (`unseen`), and the session continues.
 */
export class WorkspaceSnapshot {
  readonly #state: SnapshotState;
  readonly #closing = new AbortController();
  /** Looks run one at a time: each compares with what the one before found. */
  readonly #turns = new SerialWork();
  readonly #mayLook: () => boolean;
  readonly #earlier: EarlierFiles;
  readonly #pack: SnapshotPack;
  readonly #content: ContentReader;
  #ready: Promise<void> | undefined;
  #isListed = false;
  #isReady = false;
  #hasGivenUp = false;
  /** The last reason reported to the user why more may change than is seen. */
  #told: string | undefined;
  /** Recently changed files: most likely to have changed again. */
  #hot: string[] = [];
  #running: Promise<void> | undefined;
  #isWanted = false;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly parts: SnapshotParts) {
    const { append, clock, env, isLook = false, mayWrite = () => true } = parts;
    const { signal } = this.#closing;
    this.#mayLook = mayWrite;
    const session = dirname(parts.journal);
    const git = { objects: join(session, 'git-objects'), operations: join(session, 'git-operations') };
    this.#earlier = new EarlierFiles(parts.earlier ?? []);
    const isFrozen = () => isLook || !mayWrite();
    this.#pack = new SnapshotPack(join(session, 'snapshot.bytes'), isFrozen);
    this.#state = {
      ...{ parts, clock, env, signal },
      windows: new CommandWindows(),
      cover: new Cover(clock, (reason) => noteMissed(this.#state, reason)),
      pace: new BackgroundPace(clock, signal),
      noted: new Set(),
      ignore: new IgnoreRules(),
      health: new GitHealth(isLook ? undefined : git, mayWrite),
      gitObjects: git.objects,
      repositories: new Set(),
      journal: new SnapshotJournal(parts.journal, isFrozen),
      store: new SnapshotStore(parts.directory, this.#pack, mayWrite),
      append: (record) => append(record),
    };
    this.#content = new ContentReader(this.#state, (act) => this.#attemptInTurn(act));
  }

  /** An earlier process ended before it had recorded all changes by its commands. */
  get isCutOff(): boolean {
    return existsSync(this.parts.journal);
  }

  /** Starts the first look, once. */
  prepare(): Promise<void> {
    this.#ready ??= this.#attempt(() => this.#lookFirst()).then(() => {
      this.#isReady = true;
    });
    return this.#ready;
  }

  /** For a command that starts at once. */
  async begin(toolUseId: string, agentId: string | null, signal?: AbortSignal): Promise<WatchedCommand> {
    return (await this.prepareCommand(toolUseId, agentId, signal)).start();
  }

  /**
   * Before a command that may write. Resolves when it may start, or at once when the signal fires. Call `start` right before
   * it runs: it takes a millisecond or two, in which a sandbox can be built.
   */
  async prepareCommand(
    toolUseId: string,
    agentId: string | null,
    signal?: AbortSignal,
  ): Promise<{ start(): WatchedCommand }> {
    this.#state.pace.giveWay();
    if (!this.#isReady) await this.#awaitFirstLook(signal);
    if (this.#isReady) await this.#attempt(() => this.#coverMore());
    return { start: () => this.#start(toolUseId, agentId) };
  }

  #start(toolUseId: string, agentId: string | null): WatchedCommand {
    const { windows, journal, clock, pace } = this.#state;
    pace.giveWay();
    // It waits for nothing, so it is done when this returns.
    if (this.#isReady) void this.#attempt(async () => this.#lookAtHot());
    const unseen = this.#state.incomplete ?? (this.#isListed ? undefined : unlisted);
    const command = { toolUseId, at: clock.now(), agentId: agentId ?? undefined, unseen };
    if (this.#mayLook()) lookAtGit(this.#state);
    const window = windows.begin(command);
    const notices = this.#describeGaps();
    journal.begin(command);
    // While the command runs: changes from before its start can still be told apart by their times.
    if (clock.monotonic() - this.#lookedAt > staleMs) this.#want();
    let isOver = false;
    return {
      moveToBackground() {
        window.isBackground = true;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        pace.giveWay();
        this.#content.noteCommand();
        // Times of files are finer than a millisecond.
        window.until = clock.now() + 1;
        const isLong = window.isBackground && window.until > command.at + backgroundMs;
        journal.begin({ ...command, until: isLong ? command.at + backgroundMs : window.until });
        window.checked = this.#checkGit(window);
        this.#want();
      },
      notices: async () => {
        await window.checked;
        return [...notices, ...window.lost, ...window.repaired];
      },
    };
  }

  /**
   * Resolves when all changes by commands so far are recorded, or after this time; then it continues in the background.
   * `isForRewind`: all files are read, whatever their times say.
   */
  async settle(limitMs = Number.POSITIVE_INFINITY, isForRewind = false): Promise<void> {
    const settled = this.#settle();
    const { pace } = this.#state;
    if (limitMs === Number.POSITIVE_INFINITY) {
      await settled;
      await pace.hurry(() => this.#content.read(isForRewind));
    } else {
      await pace.atMost(limitMs, settled);
      void settled.then(() => this.#content.read(false));
    }
  }

  /** Whether a command's write through a mapping changes file times here. */
  get tellsMapped(): boolean {
    return this.#content.tellsMapped;
  }

  async #settle(): Promise<void> {
    if (!this.#ready && !this.isCutOff) return this.#attempt(() => this.#earlier.compare(this.#state));
    const ready = this.prepare();
    await this.#state.pace.hurry(async () => {
      await ready;
      if (this.#state.windows.all.size > 0) this.#want();
      await this.#running;
      await this.#attemptInTurn(() => lookAtNoted(this.#state));
    });
  }

  /** Before an agent edits a file: changes that a command made to it do not belong to the edit. */
  async settleFile(path: string): Promise<void> {
    if (!this.#ready) return;
    await this.#state.pace.hurry(async () => {
      await this.#ready;
      await this.#running;
      await this.#attemptInTurn(() => lookAtFile(this.#state, path));
    });
  }

  /** The id of the unsettled command that last changed a file, or wrote to it through a mapping. */
  findAuthor(path: string, isMapped = false): string | undefined {
    const stat = statEntry(path);
    const { windows } = this.#state;
    const byTime = windows.findAuthor(stat?.ctimeMs ?? findRemovalTime(path), !stat);
    const author = isMapped && byTime.by === 'before' ? windows.findMappedAuthor() : byTime;
    return author.by === 'command' ? author.window.toolUseId : undefined;
  }

  /** Before a rewind writes a file: the content it will have. */
  expect(path: string, state: string | null, mode: number | undefined): void {
    this.#earlier.forget(path);
    if (!this.#ready) return;
    const { cover, noted } = this.#state;
    const ownMode = state !== null && linkTarget(state) === undefined ? mode : undefined;
    if (state === null) cover.entries.delete(path);
    else cover.entries.set(path, { state, mode: ownMode, isFresh: true, isKept: true, isNoted: true });
    noted.add(path);
  }

  /**
   * Called at the end of the session: afterwards nothing runs. The journal stays only for commands with unrecorded changes.
   */
  async close(): Promise<void> {
    const { windows, journal, pace } = this.#state;
    const isLeft = () => windows.all.size > 0 || this.#content.isNeeded;
    if (this.#mayLook() && this.#ready && isLeft()) await pace.atMost(closeMs, this.settle());
    this.#closing.abort(new Error('the session is closed'));
    await pace.hurry(async () => {
      await this.#ready;
      await this.#running;
    });
    if (this.#mayLook() && this.#ready && !isLeft()) {
      journal.remove();
      this.#pack.remove();
      this.#state.health.close();
    } else this.#pack.close();
  }

  /** One look is enough for all requests before it starts. */
  #want(): void {
    if (this.#closing.signal.aborted) return;
    this.#isWanted = true;
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
    });
  }

  async #runAll(): Promise<void> {
    // The command's result comes first, and then the end of what stood in for missing directories while it ran: seen now,
    // these would be new names, for which git lists the whole repository.
    await this.#state.pace.rest();
    await new Promise((resolve) => setImmediate(resolve));
    await this.#ready;
    while (this.#isWanted) {
      this.#isWanted = false;
      await Promise.all(this.#state.windows.ended().map(({ checked }) => checked));
      await this.#attemptInTurn(() => lookAtAll(this.#state));
      this.#hot = findHot(this.#state.cover.entries, this.parts.clock.now());
      this.#lookedAt = this.parts.clock.monotonic();
    }
  }

  async #lookFirst(): Promise<void> {
    const left = readJournal(this.parts.journal);
    const tops = findTops(this.#state);
    const missing = left ? takeLeft(this.#state, left, tops) : tops;
    if (left) this.#pack.continueLeft();
    // Before more is covered: names that are new below the tops of an earlier process are found by comparison.
    if (left) await lookAtAll(this.#state);
    const unread = missing.length > 0 ? await listMore(this.#state, missing) : [];
    this.#isListed = true;
    await readListed(this.#state, unread);
    const hasEarlier = this.#earlier.handOver(this.#state, (path) => this.parts.isEdited(path));
    if (hasEarlier) await lookAtAll(this.#state);
    this.#hot = findHot(this.#state.cover.entries, this.parts.clock.now());
    // The first command needs no second look at once, which would see it half done.
    this.#lookedAt = this.parts.clock.monotonic();
  }

  /** Content that git lost is read from the files before the next command can change them too. */
  async #checkGit(window: CommandWindow): Promise<void> {
    let lost: string[] = [];
    await this.#attempt(async () => {
      lost = await checkGit(this.#state, window);
    });
    if (lost.length > 0)
      await this.#state.pace.hurry(() =>
        this.#attemptInTurn(() => holdFromFiles(this.#state, ({ root }) => lost.includes(root))),
      );
  }

  async #awaitFirstLook(signal: AbortSignal | undefined): Promise<void> {
    const limits = this.#hasGivenUp ? laterWait : firstWait;
    await this.#state.pace.hurry(() => awaitLook(this.prepare(), limits, this.#state, signal));
    if (!this.#isReady) this.#hasGivenUp = true;
  }

  /** A reason that applies to all commands is reported once. */
  #describeGaps(): string[] {
    const { incomplete } = this.#state;
    const isNew = incomplete !== undefined && incomplete !== this.#told;
    this.#told = incomplete;
    return describeGaps(this.#state, { isNew, isListed: this.#isListed, isReady: this.#isReady });
  }

  async #coverMore(): Promise<void> {
    const more = findTops(this.#state).filter((root) => !this.#state.cover.tops.has(root));
    const coverMore = async () => readListed(this.#state, await listMore(this.#state, more));
    if (more.length > 0) await this.#state.pace.hurry(() => this.#attemptInTurn(coverMore));
  }

  #lookAtHot(): void {
    if (!this.#turns.isTaken) lookAtHot(this.#state, this.#hot);
  }

  #attemptInTurn(act: () => Promise<void>): Promise<void> {
    return this.#turns.take(() => this.#attempt(act));
  }

  /** A failed look is not repeated for ended commands; they and all later ones report that more may have changed. */
  async #attempt(act: () => Promise<void>): Promise<void> {
    if (!this.#mayLook()) return;
    try {
      await act();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const reason = `the files could not be read: ${formatError(error)}`;
      this.#state.incomplete ??= reason;
      for (const window of this.#state.windows.all) window.unseen ??= reason;
      for (const window of this.#state.windows.ended()) closeWindow(this.#state, window);
    }
  }
}
