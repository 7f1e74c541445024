import { renameSync } from '../../lib/exact-files.ts';
import { basename, join } from '../../lib/exact-paths.ts';
import { randomIds } from '../../lib/ids.ts';
import { isSameProcess, processMark } from '../../lib/process-mark.ts';
import { directoriesIn, entryAt } from './look.ts';
import { removeTree } from './remove-tree.ts';

/** The folder of a session that its sandbox's files are in: the private `/tmp` of its commands. */
export const sandboxFolder = 'sandbox';

/**
 * Removes what the sandboxes of sessions left whose process was killed. `projects` holds a directory for each project,
 * with a directory for each session. Moved away first, so that a session which is opened meanwhile makes its own.
 */
export function removeLeftSandboxes(projects: string, isDead: (sessionId: string) => boolean): number {
  const left = directoriesIn(projects)
    .flatMap(directoriesIn)
    .flatMap((session) => leftIn(session, isDead));
  for (const path of left) removeTree(path);
  return left.length;
}

/** For what is no session: a directory with the mark of this process, which goes with the next start if it is killed. */
export function markedSandbox(home: string): string {
  const { pid, start } = processMark(process.pid);
  return join(home, markedFolder, `${pid}.${encodeURIComponent(start)}`);
}

export function removeDeadSandboxes(home: string): void {
  for (const path of directoriesIn(join(home, markedFolder))) {
    const [, pid = '', start = ''] = /^(\d+)\.(.*)$/.exec(basename(path)) ?? [];
    if (!isSameProcess({ pid: Number(pid), start: decodeURIComponent(start) })) removeTree(path);
  }
}

const markedFolder = 'sandboxes';

function leftIn(session: string, isDead: (sessionId: string) => boolean): string[] {
  const away = directoriesIn(session).filter((path) => basename(path).startsWith(`${sandboxFolder}.dead-`));
  const path = join(session, sandboxFolder);
  if (!entryAt(path)?.isDirectory() || !isDead(basename(session))) return away;
  const aside = join(session, `${sandboxFolder}.dead-${randomIds.token(8)}`);
  try {
    renameSync(path, aside);
    return [...away, aside];
  } catch {
    return away;
  }
}
