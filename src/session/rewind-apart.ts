import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { listRecords } from '../workspace/worktree-record.ts';

/**
 * Files in an agent's own worktree are left alone when somebody goes back: its work stands on a branch of its own, to be
 * landed or dropped as a whole. The session's own worktree is where the user works.
 */
export function apartFrom(
  home: string,
  sessionId: string,
  cwd: string,
): (path: string) => string | undefined {
  const records = listRecords(home);
  return (path) => {
    const worktree = records.find((record) => isBelow(record.path, path));
    if (worktree && (worktree.path === cwd || isBelow(worktree.path, cwd))) return undefined;
    if (worktree?.agentId === null && worktree.session === sessionId) return undefined;
    if (worktree)
      return `it is in the worktree ${worktree.slug}, which is left alone: its work is on the branch ${worktree.branch}.`;
    return isInWorktree(path) && !isInWorktree(cwd) ? 'it was in a worktree that is gone.' : undefined;
  };
}

/** Below `.cadre/worktrees` of any directory. */
function isInWorktree(path: string): boolean {
  for (let up = dirname(path); up !== dirname(up); up = dirname(up))
    if (up.endsWith(join(sep, '.cadre', 'worktrees'))) return true;
  return false;
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
