import { mkdirSync, unlinkSync, writeFileSync } from '../../lib/files/exact-files.ts';
import { basename, dirname, join } from '../../lib/files/exact-paths.ts';
import { type HeldDirectory, holdDirectory, holdNewDirectory } from '../../lib/files/hold-directory.ts';
import { getErrorCode } from '../../lib/result.ts';
import type { GitPlace } from '../git-places.ts';
import { statEntry } from './look.ts';
import { hasLiveMark, lockName, ownMark, releaseStandIn } from './stand-ins.ts';

type HeldPlace = Pick<GitPlace, 'held' | 'alternates'>;

export interface HeldGit {
  /** The directories that have our mark. */
  paths: string[];
  giveBack(): void;
}

/** Number of commands of this process that rely on each directory. */
const users = new Map<string, number>();

/**
 * Nothing can be mounted on what does not exist, and a mount goes with the directory that it is on. So the places in git's
 * directory where Cadre's own git works are made before a command starts, and have a mark in them while it runs: git removes
 * them when they are empty. What appears in them meanwhile is read-only for the command.
 */
export function holdGit(places: readonly HeldPlace[]): HeldGit {
  const paths = [...new Set(places.flatMap(({ held }) => held))].filter(hold);
  for (const path of paths) users.set(path, (users.get(path) ?? 0) + 1);
  for (const { alternates } of places) if (alternates !== undefined) makeEmpty(alternates);
  let given = false;
  return {
    paths,
    giveBack() {
      if (given) return;
      given = true;
      const last = new Set(paths.filter(isLastUser));
      // As long as our marks are there: whoever comes now finds them, or makes the file again.
      for (const { held, alternates } of places)
        if (alternates !== undefined && held.every((path) => last.has(path) && !hasLiveMark(path, true)))
          removeEmpty(alternates);
      for (const path of last) releaseStandIn(path, true);
    },
  };
}

function isLastUser(path: string): boolean {
  const left = (users.get(path) ?? 1) - 1;
  if (left > 0) users.set(path, left);
  else users.delete(path);
  return left <= 0;
}

const attempts = 20;

/** False where it cannot be made: then this user's commands cannot make it either. */
function hold(path: string): boolean {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const made = holdNewDirectory(path);
    if (made.state !== 'found') return false;
    const marked = mark(made.value);
    if (marked !== 'gone') return marked;
  }
  return false;
}

/** Another process may remove an empty directory until it has our mark. */
function mark({ path, close }: HeldDirectory): boolean | 'gone' {
  try {
    mkdirSync(join(path, ownMark(), lockName), { recursive: true });
    return true;
  } catch (error) {
    return getErrorCode(error) === 'ENOENT' ? 'gone' : false;
  } finally {
    close();
  }
}

function makeEmpty(path: string): void {
  const above = holdNewDirectory(dirname(path));
  if (above.state !== 'found') return;
  try {
    writeFileSync(join(above.value.path, basename(path)), '', { flag: 'wx' });
  } catch {
    // It is there, or nothing can be written here.
  } finally {
    above.value.close();
  }
}

function removeEmpty(path: string): void {
  const above = holdDirectory(dirname(path));
  if (!above.ok) return;
  try {
    const at = join(above.value.path, basename(path));
    const found = statEntry(at);
    if (found?.isFile() && found.size === 0) unlinkSync(at);
  } catch {
    // It stays, and names nothing.
  } finally {
    above.value.close();
  }
}
