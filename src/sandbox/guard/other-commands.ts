import { basename, dirname } from '../../lib/files/exact-paths.ts';
import { foldName } from '../../places/paths.ts';
import { leads } from '../../places/protected-names.ts';
import { linkMark } from '../exposure.ts';
import { type GitPlace, isGuardedBy } from '../git-places.ts';
import { hasChangedIn, type Period } from './changes.ts';
import { readIdentity, isSealed } from './identities.ts';
import { type LeftJournal, readJournals } from './left-journals.ts';
import { statEntry, isBelow } from './look.ts';
import { isProtectedName } from './names.ts';

/** The confined commands of all sessions that are running, or that were cut off and not cleared up behind yet. */
export interface OtherCommands {
  /** When the first of them began. */
  readonly since: number;
  /**
   * Whether one of them made or changed a protected path: then it is not what the user had there. `now` is what was seen
   * at it. As far as it can be told by what was there before, it is: a command can take its work away for a moment.
   */
  made(path: string, now?: string): boolean;
}

/**
 * What is at protected paths when a command begins is its base line, but for what others that still run have put there:
 * that goes when they end, and must not be taken for the user's own from then on. `roots` is where the command can write.
 */
export function findOtherCommands(home: string, roots: readonly string[]): OtherCommands {
  const others = (roots.length === 0 ? [] : readJournals(home))
    .filter((one) => one.roots.some((root) => roots.some((own) => isBelow(root, own) || isBelow(own, root))))
    .map(openTraces);
  return {
    since: Math.min(...others.map(({ since }) => since)),
    made: (path, now) => others.some((one) => one.made(path, now)),
  };
}

/** Two looks are as good as the commands that either of them met. */
export function joinOtherCommands(first: OtherCommands, second: OtherCommands): OtherCommands {
  return {
    since: Math.min(first.since, second.since),
    made: (path, now) => first.made(path, now) || second.made(path, now),
  };
}

function openTraces(journal: LeftJournal): OtherCommands {
  const { since, roots, exposed } = journal;
  // Killed ones are cleared up behind as far as this.
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
  return { since, made: (path, now) => isDone(path, now) && !isSealed(path, held) };
}

/** Whether a path would have been among those that were looked at before the command, had it been there: as `standingAt` has it. */
function covers({ directories, git, paths }: LeftJournal['exposed'], path: string, now = ''): boolean {
  const [name, above] = [basename(path), dirname(path)];
  const isLink = now.startsWith(linkMark);
  const isOnTop =
    directories.includes(above) &&
    (isProtectedName('/', name) || name === 'HEAD' || (isLink && leads.has(foldName(name))));
  const isInHolder =
    directories.includes(dirname(above)) && !isProtectedName('/', name) && isProtectedName(above, name);
  const isInGit = ({ directory, guarded }: Pick<GitPlace, 'directory' | 'guarded'>) =>
    isGuardedBy(guarded, path) || (isLink && isBelow(path, directory));
  return isOnTop || isInHolder || git.some(isInGit) || paths.includes(path);
}

/** As entries of a directory are sorted: by its name, as the head of a git directory, or a link in the place of a holder. */
function mayBeMet(path: string): boolean {
  const name = basename(path);
  const isLead = leads.has(foldName(name)) && statEntry(path)?.isDirectory() !== true;
  return name === 'HEAD' || isLead || isProtectedName(dirname(path), name);
}
