import { renameSync, rmdirSync } from '../../lib/files/exact-files.ts';
import { basename, join } from '../../lib/files/exact-paths.ts';
import { ensurePrivateDirectory } from '../../lib/files/files.ts';
import { randomIds } from '../../lib/ids.ts';
import { isSameProcess, processMark } from '../../lib/processes/mark.ts';
import { listDirectories, statEntry, listNames } from './look.ts';
import { type RemoveOptions, removeTreeMeanwhile } from './remove-tree.ts';

/** The folder of a session that its sandbox's files are in: the private `/tmp` of its commands. */
export const sandboxFolder = 'sandbox';

/** Of what is no session, and of what is to be removed: in our own directory. */
const markedFolder = 'sandboxes';

/**
 * Sets aside what the sandboxes of sessions left whose process was killed, which takes no time however much it is.
 * `projects` holds a directory for each project, with a directory for each session.
 */
export function setLeftAside(projects: string, home: string, isDead: (sessionId: string) => boolean): void {
  for (const session of listDirectories(projects).flatMap(listDirectories)) {
    const path = join(session, sandboxFolder);
    if (statEntry(path)?.isDirectory() && isDead(basename(session))) setAside(path, home);
  }
}

/** For what is no session: a directory with the mark of this process, which goes with a later start if it is killed. */
export function markedSandbox(home: string): string {
  const { pid, start } = processMark(process.pid);
  return join(home, markedFolder, `${pid}.${encodeURIComponent(start)}`);
}

/** A free name for what is to be removed: it is removed later at the latest. Undefined where our directory cannot be written. */
export function asidePlace(home: string): string | undefined {
  const folder = join(home, markedFolder);
  return ensurePrivateDirectory(folder).ok ? join(folder, `left-${randomIds.token(12)}`) : undefined;
}

/** Where it is then; undefined where it could not be moved. */
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

/** Removes what was set aside, and sandboxes whose process was killed, as far as there is time. Whether all is gone. */
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
    // Not empty, or never made.
  }
}

/** Also what another process is removing at this moment: two of them do each other no harm. */
export function findLeft(home: string): string[] {
  const folder = join(home, markedFolder);
  return listNames(folder)
    .filter((name) => !isOfLivingProcess(name))
    .map((name) => join(folder, name));
}

function isOfLivingProcess(name: string): boolean {
  const [, pid, start = ''] = /^(\d+)\.(.*)$/.exec(name) ?? [];
  return pid !== undefined && isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) });
}
