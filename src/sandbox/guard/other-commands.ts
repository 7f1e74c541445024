import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { foldName } from '../../places/paths.ts';
import { leads } from '../../places/protected-names.ts';
import { linkMark } from '../exposure.ts';
import { type GitPlace, isUnwantedBy } from '../git-places.ts';
import { hasChangedIn, type Period } from './changes.ts';
import { isSealed, isWithinReach, readIdentity } from './identities.ts';
import { journalFolder } from './journal.ts';
import { type LeftJournal, pickJournals } from './left-journals.ts';
import { isBelow, statEntry } from './look.ts';
import { isProtectedName } from './names.ts';
import type { SharedHomes } from './shared-homes.ts';

/** The sandboxed commands of all sessions that are running, or that were interrupted and not cleaned up yet. */
export interface OtherCommands {
  /** When the first of them started. */
  readonly since: number;
  /**
   * Whether one of them created or changed a protected path: then it is not the user's. `now` is the present state. This also
   * relies on what existed before, where possible: a command can hide its work for a moment.
   */
  made(path: string, now?: string): boolean;
  /** Whether one that runs could write here now. */
  mayWrite(path: string): boolean;
  /** Whether one that runs could write something of this work tree or directory; git's data and our worktrees are not part of it. */
  mayWorkIn(directory: string): boolean;
}

/**
 * The state of protected paths when a command begins is its baseline, except for what other running commands have put there:
 * that is removed when they end, and must not be taken for the user's own from then on. `roots` is where the command can
 * write.
 */
export function findOtherCommands(homes: SharedHomes, roots: readonly string[]): OtherCommands {
  const paths = roots.length === 0 ? [] : homes.listFolder(journalFolder, roots);
  return joinTraces(
    pickJournals(paths).filter((one) =>
      one.roots.some((root) => roots.some((own) => isBelow(root, own) || isBelow(own, root))),
    ),
  );
}

/** All of them, wherever they can write: a command in one worktree writes in the data of another directory. */
export function findAllCommands(homes: SharedHomes): OtherCommands {
  return joinTraces(pickJournals(homes.listFolder(journalFolder, [])));
}

function joinTraces(journals: readonly LeftJournal[]): OtherCommands {
  const others = journals.map(openTraces);
  return {
    since: Math.min(...others.map(({ since }) => since)),
    made: (path, now) => others.some((one) => one.made(path, now)),
    mayWrite: (path) => others.some((one) => one.mayWrite(path)),
    mayWorkIn: (directory) => others.some((one) => one.mayWorkIn(directory)),
  };
}

/** Two looks combined, with the commands that either of them found. */
export function joinOtherCommands(first: OtherCommands, second: OtherCommands): OtherCommands {
  return {
    since: Math.min(first.since, second.since),
    made: (path, now) => first.made(path, now) || second.made(path, now),
    mayWrite: (path) => first.mayWrite(path) || second.mayWrite(path),
    mayWorkIn: (directory) => first.mayWorkIn(directory) || second.mayWorkIn(directory),
  };
}

function openTraces(journal: LeftJournal): OtherCommands {
  const { since, roots, exposed } = journal;
  // For killed ones, up to the end of their period.
  const period: Period = journal.isLive ? { since } : { since, until: journal.end };
  const [held, standing, copied] = [
    new Map(journal.held),
    new Set(journal.standing),
    new Map(journal.copied),
  ];
  const before = new Map(journal.before);
  const isFresh = (path: string, now?: string) =>
    covers(exposed, path, now) && (!before.has(path) || (now !== undefined && before.get(path) !== now));
  const isBelowFresh = (path: string) => {
    for (let at = path, above = dirname(at); above !== at; at = above, above = dirname(at))
      if (isFresh(above)) return true;
    return false;
  };
  const isChanged = (path: string) =>
    mayBeMet(path) &&
    roots.some((root) => isBelow(path, root)) &&
    !standing.has(path) &&
    copied.get(path) !== readIdentity(path) &&
    (hasChangedIn(path, period) || statEntry(path) === undefined);
  const isDone = (path: string, now?: string) => isFresh(path, now) || isBelowFresh(path) || isChanged(path);
  return {
    since,
    made: (path, now) => isDone(path, now) && !isSealed(path, held),
    mayWrite: (path) => journal.isLive && isWithinReach(path, held),
    mayWorkIn: (directory) =>
      journal.isLive &&
      (isWithinReach(directory, held) ||
        roots.some((root) => isBelow(root, directory) && !isApart(root, directory))),
  };
}

/** What is beside the files of a work tree. The filters of Cadre's own git have only their store there. */
function isApart(path: string, top: string): boolean {
  return ['.cadre', '.git'].some((name) => isBelow(path, join(top, name)));
}

/** Whether a path would have been checked before the command, had it existed: see `standingAt`. */
function covers(
  { directories, git, paths, noLinks = [] }: LeftJournal['exposed'],
  path: string,
  now = '',
): boolean {
  const [name, above] = [basename(path), dirname(path)];
  const isLink = now.startsWith(linkMark);
  const isOnTop =
    directories.includes(above) &&
    (isProtectedName('/', name) || name === 'HEAD' || (isLink && leads.has(foldName(name))));
  const isInHolder =
    directories.includes(dirname(above)) && !isProtectedName('/', name) && isProtectedName(above, name);
  const isInGit = ({ directory, guarded }: Pick<GitPlace, 'directory' | 'guarded'>) =>
    isUnwantedBy(guarded, path) || (isLink && isBelow(path, directory));
  const isOnWay = isLink && noLinks.includes(path);
  return isOnTop || isInHolder || git.some(isInGit) || isOnWay || paths.includes(path);
}

/** As entries of a directory are sorted: by its name, as the head of a git directory, or a link in the place of a holder. */
function mayBeMet(path: string): boolean {
  const name = basename(path);
  const isLead = leads.has(foldName(name)) && statEntry(path)?.isDirectory() !== true;
  return name === 'HEAD' || isLead || isProtectedName(dirname(path), name);
}
