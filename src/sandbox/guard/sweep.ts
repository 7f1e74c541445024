import { tickMs } from '../../lib/files/change-time.ts';
import { statfsSync } from '../../lib/files/exact-files.ts';
import { basename, dirname } from '../../lib/files/exact-paths.ts';
import { linksInGitData, type PlainFolders } from '../../workspace/git/walk.ts';
import { Directories, type KnownLinks } from '../directories.ts';
import { hasChangedIn } from './changes.ts';
import { type Copy, Kept, type KeptChanges } from './kept.ts';
import { statEntry } from './look.ts';
import { isInGit, isProtectedName, isTooLong } from './names.ts';
import type { OtherCommands } from './other-commands.ts';
import type { FindLinks } from './protected-places.ts';
import { addToSurvey, type GuardSurvey } from './survey.ts';

/** What came to be or was changed while a command ran, and is protected. */
export interface ProtectedChanges {
  paths: string[];
  kept: KeptChanges;
}

/** One command, from before it starts until all was looked through after it. */
export interface GuardWatch {
  since: number;
  /** When the first of those began that were running when it did, in all sessions: what they did is not the user's. */
  readonly others: number;
  /** Known when it has ended. */
  until?: number;
  /** How far the clock on the wall is from one that cannot be set. */
  readonly drift: number;
  /** Protected paths that were there and that the command could not change. */
  standing: ReadonlySet<string>;
  round: Generator<number, void>;
  /** As they were found when it began. */
  readonly links: KnownLinks | undefined;
}

export interface SweepEnd {
  found: ProtectedChanges;
  isWhole: boolean;
  /** For the moment. */
  links: KnownLinks | undefined;
}

/** Two microseconds each: so much of a command's time. The rest is looked at a moment later. */
const maxNow = 1000;
/** A quarter of a processor, until all is looked at. */
const slice = { steps: 1000, pauseMs: 8 };

/**
 * Finds what commands made at protected paths, wherever in the workspace: nothing can be mounted on a name that is not
 * there, so it is looked for when they have ended. Only directories that changed are read again.
 */
export class GuardSweep {
  readonly survey: GuardSurvey;
  readonly #directories: Directories;
  readonly #kept = new Kept();
  /** Whether times of change come from this machine's clock, and a new name changes a file's. */
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
    // Directories that the user made or moved since the last command are not taken for moves of this one.
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

  /** A better time than the one at which it began to be prepared: less of the user's work is taken for its own. */
  startAt(watch: GuardWatch, time: number): void {
    if (this.isTimed) watch.since = this.#sinceFor(time);
  }

  /** What those did who are still being looked after may come to light only now. */
  #sinceFor(time: number): number {
    return Math.min(time, ...[...this.#pending.keys()].map((watch) => watch.since));
  }

  /** As much as can be told meanwhile. Asked often, it goes through everything in turn. */
  look(watch: GuardWatch): ProtectedChanges {
    if (advance(watch.round, maxNow)) watch.round = this.#directories.round();
    const { kept, ...found } = this.#offencesOf(watch, watch.since, false);
    const isOwn = ({ path }: Copy) => (statEntry(path)?.ctimeMs ?? watch.since) >= watch.since;
    return { ...found, kept: { ...kept, changed: kept.changed.filter(isOwn) } };
  }

  /** To be called when all its processes are gone. `later` is called once, unless all could be looked at now. */
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
   * When what was found is out of the way: the rest was there before, and is guarded from now on. What commands of other
   * sessions made that still run is left to them.
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

  /** What a look at all directories has just found, or a walk of its own. Folders without links are remembered. */
  findLinks(known?: KnownLinks): FindLinks {
    const plain = this.isTimed ? this.#plainFolders : undefined;
    return (data) => known?.(data) ?? linksInGitData(data, plain);
  }

  /** Whether what is done to it can be undone. */
  keeps(path: string): boolean {
    return this.#kept.holds(path);
  }

  /** Looks at what is left to be looked at. */
  close(): void {
    if (this.#pending.size === 0) return;
    advance(this.#directories.round(), Number.POSITIVE_INFINITY);
    this.#complete([...this.#pending.keys()]);
  }

  /** Where a survey was cut off, there are directories of git's data that nobody looks at. */
  #look(): ReturnType<Directories['look']> {
    const look = this.#directories.look(maxNow);
    return this.survey.isWhole ? look : { ...look, links: () => undefined };
  }

  #remember(path: string): void {
    const before = this.survey.unmounted.length;
    addToSurvey(this.survey, path);
    if (this.survey.unmounted.length > before) this.#kept.keep(path);
  }

  /** Where times say nothing, all is looked at before: then whatever is new afterwards is the command's. */
  #lookFirst(watch: GuardWatch, others: OtherCommands): void {
    advance(this.#directories.round(), Number.POSITIVE_INFINITY);
    this.settle(watch, others.made);
    if (watch.others === Number.POSITIVE_INFINITY) this.#kept.takeAsUsers();
    watch.since = Number.NEGATIVE_INFINITY;
  }

  /** `byContent`: for when it has ended. While it runs this is asked every second or so, and times have to do. */
  #offencesOf(watch: GuardWatch, since: number, byContent: boolean): ProtectedChanges {
    const { until = Number.POSITIVE_INFINITY, drift, standing } = watch;
    // A clock that was set back gives new files old times.
    const setBack = Math.min(0, driftNow() - drift);
    const period = { since: since + setBack, until };
    const { met } = this.#directories;
    // First: then it is known again what is as it was. What others changed that still run is not.
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
      // This round is after the end of these; others that end meanwhile need another one.
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
      const found = this.#offencesOf(watch, findBase(watch), false);
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

/** What stood before the first of commands that overlap is the base line for all of them. */
function findBase({ since, others }: GuardWatch): number {
  return Math.min(since, others);
}

/** Whether it came to its end. */
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

/** ext, xfs, btrfs, tmpfs, f2fs, overlay, zfs, bcachefs. */
const localTypes = [
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0x794c7630, 0x2fc12fc1, 0xca451a4e,
];

function isLocal(path: string): boolean {
  try {
    return localTypes.includes(statfsSync(path).type >>> 0);
  } catch {
    return false;
  }
}
