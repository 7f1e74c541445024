import { renameSync, rmdirSync } from '../../lib/files/exact-files.ts';
import { basename, join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { type RemoveOptions, removeTreeMeanwhile } from '../../lib/files/remove-tree.ts';
import { randomIds } from '../../lib/ids.ts';
import { isSameProcess, processMark } from '../../lib/processes/mark.ts';
import { listKnown } from '../../lib/told.ts';
import { listDirectories, listNames, statEntry } from './look.ts';

/** The folder of a session with its sandbox's files: the private `/tmp` of its commands. */
export const sandboxFolder = 'sandbox';

/** For sandboxes without a session, and for files to be removed: in our own directory. */
const markedFolder = 'sandboxes';

/**
 * Moves aside what the sandboxes of killed sessions left, which takes no time however much it is. `projects` has a directory
 * for each project, with a directory for each session.
 */
export function setLeftAside(projects: string, home: string, isDead: (sessionId: string) => boolean): void {
  for (const session of listDirectories(projects).flatMap(listDirectories)) {
    const path = join(session, sandboxFolder);
    if (statEntry(path)?.isDirectory() && isDead(basename(session))) setAside(path, home);
  }
}

/** For use without a session: a directory with the mark of this process, which a later start removes if it is killed. */
export function markedSandbox(home: string): string {
  const { pid, start } = processMark(process.pid);
  return join(home, markedFolder, `${pid}.${encodeURIComponent(start)}`);
}

/** A free name for files to be removed, at the latest by a later start. Undefined where our directory cannot be written. */
export function asidePlace(home: string): string | undefined {
  const folder = join(home, markedFolder);
  return ensurePrivateDirectory(folder).ok ? join(folder, `left-${randomIds.token(12)}`) : undefined;
}

/** Its new path; undefined where it could not be moved. */
export function setAside(path: string, home: string): string | undefined {
  const aside = asidePlace(home);
  if (aside === undefined) return undefined;
  try {
    renameSync(path, aside);
    return aside;
  } catch {
    return undefined;
  }
}

/**
 * Removes files that were moved aside, and sandboxes whose process was killed, as far as time allows. Returns whether
 * everything was removed.
 */
export async function removeLeft(home: string, options: RemoveOptions = {}): Promise<boolean> {
  const { limitMs = Number.POSITIVE_INFINITY } = options;
  const end = performance.now() + limitMs;
  let isWhole = true;
  for (const path of findLeft(home)) {
    const isGone = await removeTreeMeanwhile(path, { ...options, limitMs: end - performance.now() });
    isWhole &&= isGone;
  }
  removeEmptyFolder(home);
  return isWhole;
}

export function removeEmptyFolder(home: string): void {
  try {
    rmdirSync(join(home, markedFolder));
  } catch {
    // Not empty, or never created.
  }
}

/** Also files that another process is removing right now: two of them do not conflict. */
export function findLeft(home: string): string[] {
  const folder = join(home, markedFolder);
  return listKnown(listNames(folder))
    .filter((name) => !isOfLivingProcess(name))
    .map((name) => join(folder, name));
}

function isOfLivingProcess(name: string): boolean {
  const [, pid, start = ''] = /^(\d+)\.(.*)$/.exec(name) ?? [];
  return pid !== undefined && isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) });
}
