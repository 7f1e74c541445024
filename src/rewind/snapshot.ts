import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../protocol/index.ts';
import type { SessionLayout } from '../store/layout.ts';
import { WorkspaceSnapshot } from '../store/snapshot/workspace-snapshot.ts';
import { resolveRealPath } from '../workspace/real-path.ts';
import { listRecords } from '../workspace/worktrees/record.ts';

export interface SessionSnapshotOptions {
  files: SessionLayout;
  sessionId: string;
  around: { home: string; userHome: string; cwd: string; clock: Clock };
  env: Record<string, string>;
  append(record: FileHistoryRecord | CommandFilesRecord): Result<void>;
  /** False once another process has the session. */
  mayWrite?: () => boolean;
  isEdited(path: string): boolean;
  roots(): readonly string[];
  earlier: readonly FileHistoryRecord[];
  isLook?: boolean;
}

/** From here on, changes that the session's commands make to files are recorded. */
export function openSessionSnapshot(options: SessionSnapshotOptions): WorkspaceSnapshot {
  const { files, sessionId, around, env, append, isEdited, earlier, isLook } = options;
  const { home, userHome, cwd, clock } = around;
  const apart = remembered(clock, () => apartFrom(home, sessionId, cwd));
  const roots = () => options.roots().map(resolveRealPath);
  const ours = resolveRealPath(home);
  return new WorkspaceSnapshot({
    directory: files.fileHistory,
    journal: files.snapshot,
    userHome,
    env,
    append,
    mayWrite: options.mayWrite,
    clock,
    isEdited,
    earlier,
    isLook,
    roots,
    isApart: (path) => isOurOwn(path, ours, roots) || apart()(`${path}/x`) !== undefined,
  });
}

/** Our own directory may be in the workspace. A place in it where a session works is not ours. */
function isOurOwn(path: string, ours: string, roots: () => readonly string[]): boolean {
  const isWithin = (place: string) => path === place || path.startsWith(`${place}/`);
  return isWithin(ours) && !roots().some((root) => `${root}/`.startsWith(`${ours}/`) && isWithin(root));
}

/** Agents get worktrees while commands run, so what is known about them is valid for one look only. */
function remembered<T>(clock: Clock, make: () => T): () => T {
  let known: { value: T; at: number } | undefined;
  return () => {
    const now = clock.monotonic();
    if (!known || now - known.at > rememberedMs) known = { value: make(), at: now };
    return known.value;
  };
}

const rememberedMs = 1_000;

/**
 * Files in an agent's worktree are left alone by a rewind: its work is on its own branch, to be landed or dropped as a whole.
 * The session's own worktree is where the user works.
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
      return `it is in the worktree ${worktree.slug}, which a rewind does not change: its work is on the branch ${worktree.branch}.`;
    return isInWorktree(path) && !isInWorktree(cwd)
      ? 'it was in a worktree that no longer exists.'
      : undefined;
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
