import type { AgentWorktrees } from '../../agents/worktrees.ts';
import type { Result } from '../../lib/result.ts';
import type { Rule } from '../../protocol/permission.ts';
import type { Engine } from '../../remote/engine.ts';
import type { WorktreeStart } from '../../workspace/worktrees/create.ts';
import type { RefuseFile } from '../../workspace/worktrees/left-out.ts';
import type { WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import type { JobFiles } from './job-files.ts';

/** What a session gives to its remote agents. */
export interface RemoteParts {
  /** Cadre's own directory: the key that signs jobs, and the keys that are trusted. */
  readonly home: string;
  readonly session: string;
  readonly world: WorktreeWorld;
  /** Where work begins, as in worktrees. */
  readonly start: WorktreeStart;
  readonly worktrees: AgentWorktrees;
  readonly files: JobFiles;
  /** False: nothing of the session is kept, so its agents end with it. */
  readonly isKept: boolean;
  /** Of the workers that take agents that name none. */
  readonly label: string;
  /** The part of what is left of a budget that an agent without a limit of its own reserves. */
  readonly budgetShare: number;
  /** Connects when it is first called; a failure may pass. */
  connect(): Promise<Result<Engine>>;
  /** The engine's address without a password. */
  readonly title: string;
  /** Work that the end of the session waits for. */
  finish(work: Promise<unknown>): void;
  rules(agentId: string): readonly Rule[];
  /** Why a file of the checkout is not sent: agents may not read it. */
  refuses(): RefuseFile;
}
