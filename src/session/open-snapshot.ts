import type { Result } from '../lib/result.ts';
import type { CommandFilesRecord, FileHistoryRecord } from '../protocol/index.ts';
import type { SessionLayout } from '../store/layout.ts';
import { WorkspaceSnapshot } from '../store/workspace-snapshot.ts';
import { realPathOf } from '../workspace/real-path.ts';
import { apartFrom } from './rewind-apart.ts';
import type { Surroundings } from './surroundings.ts';

export interface SnapshotOptions {
  files: SessionLayout;
  sessionId: string;
  around: Pick<Surroundings, 'home' | 'userHome' | 'cwd' | 'clock'>;
  env: Record<string, string>;
  append(record: FileHistoryRecord | CommandFilesRecord): Result<void>;
  isEdited(path: string): boolean;
  roots(): readonly string[];
  earlier: readonly FileHistoryRecord[];
  isLook?: boolean;
}

/** What commands of a session do to files is known from here on. */
export function openSessionSnapshot(options: SnapshotOptions): WorkspaceSnapshot {
  const { files, sessionId, around, env, append, isEdited, earlier, isLook } = options;
  const { home, userHome, cwd, clock } = around;
  return new WorkspaceSnapshot({
    ...{
      directory: files.fileHistory,
      journal: files.snapshot,
      userHome,
      env,
      append,
      clock,
      isEdited,
      earlier,
    },
    ...(isLook ? { isLook } : {}),
    roots: () => options.roots().map(realPathOf),
    // Whether it is there is looked up each time: agents get worktrees while commands run.
    isApart: (path) => path === home || apartFrom(home, sessionId, cwd)(`${path}/x`) !== undefined,
  });
}
