import { tickMs } from '../../lib/files/change-time.ts';
import { basename, dirname } from '../../lib/files/exact-paths.ts';
import { linksInGitData, type PlainFolders } from '../../workspace/git/walk.ts';
import { Directories, type KnownLinks } from '../directories.ts';
import { hasChangedIn } from './changes.ts';
import { type Copy, Kept, type KeptChanges } from './kept.ts';
import { isLocal } from './local-file-systems.ts';
import { statEntry } from './look.ts';
import { isInGit, isProtectedName, isTooLong } from './names.ts';
import type { OtherCommands } from './other-commands.ts';
import type { FindLinks } from './protected-places.ts';
import { addToSurvey, type GuardSurvey } from './survey.ts';

/** Protected paths that were created or changed while a command ran. */
export interface ProtectedChanges {
  paths: string[];
  kept: KeptChanges;
  /** Directories that could not be read, also not a second time: it is unknown what was created there. */
  unread?: string[];
}

/** One command, from before it starts until everything was searched after it. */
export interface GuardWatch {
  since: number;
  /** When the first of the commands that were already running started, in all sessions: their changes are not the user's. */
  readonly others: number;
  /** Known when it has ended. */
  until?: number;
  /** The difference between the wall clock and the monotonic one. */
  readonly drift: number;
  /** Existing protected paths that the command could not change. */
  standing: ReadonlySet<string>;
  round: Generator<number, void>;
  /** As found when it started. */
  readonly links: KnownLinks | undefined;
}

export interface SweepEnd {
  found: ProtectedChanges;
  isWhole: boolean;
  /** The present ones. */
  links: KnownLinks | undefined;
}

/** Two microseconds each: this much is added to a command's time. The rest is checked a moment later. */
const maxNow = 1000;
/** A quarter of a processor, until everything is checked. */
const slice = { steps: 1000, pauseMs: 8 };

/**
 * Finds what commands created at protected paths, anywhere in the workspace: nothing can be mounted on a missing name, so it
 * is searched when they have ended. Only directories that changed are read again.
 */
export class GuardSweep {
  readonly survey: GuardSurvey;
  readonly #directories: Directories;
  readonly #kept = new Kept();
  /** Whether change times come from this machine's clock, and a new name changes a file's. */
  readonly isTimed: boolean;
  readonly #plainFolders: PlainFolders = new Map();
  readonly #open = new Set<GuardWatch>();
  readonly #pending = new Map<GuardWatch, (found: ProtectedChanges) => void>();
  #isRunning = false;

  constructor(survey: GuardSurvey, roots: readonly string[]) {
    this.survey = survey;
    this.#directories = new Directories(survey.directories, Date.now() - tickMs, survey.apart);
    this.isTimed = roots.every(isLocal);
    survey.directories.clear();
    for (const path of survey.unmounted) this.#kept.keep(path);
  }

  begin(others: OtherCommands): GuardWatch {
    // Directories that the user created or moved since the last command are not taken for moves of this one.
    const links = this.isTimed ? this.#look().links : undefined;
    if (this.#open.size === 0) this.#directories.forgetMoves();
    const watch = {
      since: this.#sinceFor(Date.now() - tickMs),
      others: Math.min(others.since, ...[...this.#open].map(findBase)),
      drift: driftNow(),
      standing: new Set<string>(),
      round: this.#directories.round(),
      links,
    };
    if (!this.isTimed) this.#lookFirst(watch, others);
    else if (watch.others === Number.POSITIVE_INFINITY) this.#kept.takeAsUsers();
    this.#open.add(watch);
    return watch;
  }

  /** A better time than the start of its preparation: less of the user's work is taken for its own. */
  startAt(watch: GuardWatch, time: number): void {
    if (this.isTimed) watch.since = this.#sinceFor(time);
  }

  /** Changes by commands that are still being checked may be found only now. */
  #sinceFor(time: number): number {
    return Math.min(time, ...[...this.#pending.keys()].map((watch) => watch.since));
  }

  /** As much as can be found meanwhile. Called often, it goes through everything in turn. */
  look(watch: GuardWatch): ProtectedChanges {
    if (advance(watch.round, maxNow)) watch.round = this.#directories.round();
    const { kept, ...found } = this.#offencesOf(watch, watch.since, false);
    const isOwn = ({ path }: Copy) => (statEntry(path)?.ctimeMs ?? watch.since) >= watch.since;
    return { ...found, kept: { ...kept, changed: kept.changed.filter(isOwn) } };
  }

  /** Call it when all its processes have ended. `later` is called once, unless everything could be checked now. */
  end(watch: GuardWatch, later: (found: ProtectedChanges) => void): SweepEnd {
    if (this.isTimed) watch.until = Date.now() + tickMs;
    const { isWhole, links } = this.#look();
    const found = this.#offencesOf(watch, findBase(watch), true);
    if (!isWhole) {
      this.#pending.set(watch, later);
      void this.#runLater();
    }
    return { found, isWhole, links: this.isTimed ? links : undefined };
  }

  /**
   * Once the findings are removed: the rest existed before, and is guarded from now on. Paths created by running commands of
   * other sessions are left to them.
   */
  settle(watch: GuardWatch, isOfOthers: (path: string) => boolean): void {
    this.#open.delete(watch);
    if (this.#open.size > 0) return;
    const { met } = this.#directories;
    this.#directories.forgetMoves();
    for (const path of met) {
      if (isOfOthers(path)) continue;
      met.delete(path);
      if (statEntry(path) && isGuarded(path)) this.#remember(path);
    }
  }

  /** Findings of a look at all directories just now, or a separate walk. Folders without links are cached. */
  findLinks(known?: KnownLinks): FindLinks {
    const plain = this.isTimed ? this.#plainFolders : undefined;
    return (data) => known?.(data) ?? linksInGitData(data, plain);
  }

  /** Whether changes to it can be undone. */
  keeps(path: string): boolean {
    return this.#kept.holds(path);
  }

  /** Checks what is left. */
  close(): void {
    if (this.#pending.size === 0) return;
    advance(this.#directories.round(), Number.POSITIVE_INFINITY);
    this.#complete([...this.#pending.keys()]);
  }

  /** If a survey was cut short, some directories of git's data are not checked. */
  #look(): ReturnType<Directories['look']> {
    const look = this.#directories.look(maxNow);
    return this.survey.isWhole ? look : { ...look, links: () => undefined };
  }

  #remember(path: string): void {
    const before = this.survey.unmounted.length;
    addToSurvey(this.survey, path);
    if (this.survey.unmounted.length > before) this.#kept.keep(path);
  }

  /** Where file times are unreliable, everything is read before: then anything new afterwards is the command's. */
  #lookFirst(watch: GuardWatch, others: OtherCommands): void {
    advance(this.#directories.round(), Number.POSITIVE_INFINITY);
    this.settle(watch, others.made);
    if (watch.others === Number.POSITIVE_INFINITY) this.#kept.takeAsUsers();
    watch.since = Number.NEGATIVE_INFINITY;
  }

  /** `byContent`: for its end. While it runs this is called about every second, and times must suffice. */
  #offencesOf(watch: GuardWatch, since: number, byContent: boolean): ProtectedChanges {
    const { until = Number.POSITIVE_INFINITY, drift, standing } = watch;
    // A clock that was set back gives new files old times.
    const setBack = Math.min(0, driftNow() - drift);
    const period = { since: since + setBack, until };
    const { met } = this.#directories;
    // First: this shows what is unchanged again. Changes by other running commands are not included.
    const kept = this.#kept.changesSince(findBase(watch) + setBack, byContent);
    return {
      kept,
      paths: [...met].filter(
        (path) =>
          !standing.has(path) &&
          !this.keeps(path) &&
          (hasChangedIn(path, period) || this.#directories.isMoved(path, period)),
      ),
    };
  }

  async #runLater(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    while (this.#pending.size > 0) {
      // This round comes after the end of these; others that end meanwhile need another one.
      const batch = [...this.#pending.keys()];
      const round = this.#directories.round();
      do await pause();
      while (!advance(round, slice.steps));
      this.#complete(batch);
    }
    this.#isRunning = false;
  }

  #complete(watches: readonly GuardWatch[]): void {
    for (const watch of watches) {
      const later = this.#pending.get(watch);
      if (!later) continue;
      const found = {
        ...this.#offencesOf(watch, findBase(watch), false),
        unread: this.#directories.listUnread(),
      };
      this.#pending.delete(watch);
      later(found);
    }
  }
}

/** Repositories in git's data, such as those of submodules, are guarded with what they are in. */
function isGuarded(path: string): boolean {
  const isHead = basename(path) === 'HEAD' && !isInGit(dirname(path));
  return isProtectedName(dirname(path), basename(path)) || isHead || isTooLong(path);
}

/** The state before the first of overlapping commands is the baseline for all of them. */
function findBase({ since, others }: GuardWatch): number {
  return Math.min(since, others);
}

/** Whether it finished. */
function advance(round: Generator<number, void>, steps: number): boolean {
  for (let left = steps; left > 0; ) {
    const { done, value } = round.next();
    if (done) return true;
    left -= value;
  }
  return false;
}

/** Keeps no process alive. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, slice.pauseMs).unref();
  });
}

function driftNow(): number {
  return Date.now() - performance.now();
}
