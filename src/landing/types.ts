import type { FillOptions } from '../workspace/worktrees/fill.ts';
import type { Repository, WorktreeWorld } from '../workspace/worktrees/repository.ts';

/** Where landing happens, and with what. */
export interface Ground {
  repository: Repository;
  world: WorktreeWorld;
  /** How the tree is filled in which the gate runs. */
  fill: FillOptions;
  gate?: Gate;
  /** Why work that changes protected paths does not land; without it the person who agrees sees them in the plan. */
  refuseProtected?(paths: readonly string[], name: string): string | undefined;
}

/** The project's own check: nothing lands that does not pass it. */
export interface Gate {
  command: string;
  /** Runs it in a tree of its own; the output is that of the failure. */
  run(cwd: string, signal?: AbortSignal): Promise<{ passed: boolean; output: string }>;
}

/** The agent whose work is in a worktree, so that it can be sent back. */
export interface Owner {
  agentId: string | null;
  name?: string;
}

/** A place where two changes cannot both be had, as git marks it. */
export interface Conflict {
  path: string;
  /** With markers; empty where a file was deleted on one side or is binary. */
  hunks: string[];
  /** What git says of it, where there are no hunks to see. */
  note?: string;
}

/** What became of one worktree. */
export type Landing = {
  name: string;
  owner: Owner;
} /** `protected`: those of its files, in any of its commits, that other programs run or take settings from. */ & (
  | {
      status: 'landed';
      commits: number;
      files: string[];
      protected?: string[];
      removed: boolean;
      kept?: string;
    }
  /** Nothing in it that the target does not have. `kept`: why it is still there although it was to be removed. */
  | { status: 'empty'; removed: boolean; kept?: string }
  /** A living process works in it. */
  | { status: 'busy' }
  | { status: 'conflict'; conflicts: Conflict[] }
  | { status: 'gate'; output: string }
  | { status: 'failed'; reason: string }
);

export interface LandReport {
  target: string;
  from: string;
  /** Where the target stands now; the same as `from` where nothing landed. */
  to: string;
  landings: Landing[];
  /** Why nothing was brought to the target although something could have been. */
  refusal?: { reason: string; files: string[]; hint?: string };
}
