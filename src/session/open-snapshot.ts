import type { Clock } from '../lib/clock.ts';
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
  const apart = remembered(clock, () => apartFrom(home, sessionId, cwd));
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
    isApart: (path) => path === home || apart()(`${path}/x`) !== undefined,
  });
}

/** Agents get worktrees while commands run: what is known of them holds for one look. */
function remembered<T>(clock: Clock, make: () => T): () => T {
  let known: { value: T; at: number } | undefined;
  return () => {
    const now = clock.monotonic();
    if (!known || now - known.at > rememberedMs) known = { value: make(), at: now };
    return known.value;
  };
}

const rememberedMs = 1_000;
