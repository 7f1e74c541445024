import { join } from '../../lib/files/exact-paths.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { listKnown } from '../../lib/told.ts';
import { isLockedByLanding } from '../../workspace/git/landing-lock.ts';
import { listNames, statEntry } from './look.ts';

/** Lock files at the top of git directories: where one is left, git refuses to write what it stands for. */
export function findLocks(gitDirectories: readonly string[]): Set<string> {
  return new Set(
    gitDirectories.flatMap((directory) =>
      listKnown(listNames(directory))
        .filter((name) => name.endsWith('.lock') && !ownLocks.test(name))
        .filter((name) => name !== 'index.lock' || !isLockedByLanding(directory))
        .map((name) => join(directory, name))
        .filter((path) => statEntry(path)?.isFile()),
    ),
  );
}

/** Locks of our own, which another agent or session holds while it makes or lands a worktree. */
const ownLocks = /^cadre-(?:worktrees|landing)\.lock$/;

/** What to say of those that a command left; nothing where it left none. */
export function describeLeftLocks(before: ReadonlySet<string>, gitDirectories: readonly string[]): string[] {
  const left = [...findLocks(gitDirectories)].filter((path) => !before.has(path));
  if (left.length === 0) return [];
  const names = left.slice(0, maxNamed).map((path) => visibleLine(path, 300));
  const more = left.length > maxNamed ? ` and ${left.length - maxNamed} more` : '';
  return [
    `Lock files of git appeared while the command ran and still exist: ${names.join(', ')}${more}. As long as they exist git does not write what they lock: remove them if no git command is running`,
  ];
}

const maxNamed = 10;
