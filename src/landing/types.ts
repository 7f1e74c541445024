import type { ListHarnessCommands } from '../places/harness-command.ts';
import type { FillOptions } from '../workspace/worktrees/fill.ts';
import type { WorktreeRecord } from '../workspace/worktrees/record.ts';
import type { Repository, WorktreeWorld } from '../workspace/worktrees/repository.ts';

/** The repository and the parts that landing uses. */
export interface Ground {
  repository: Repository;
  world: WorktreeWorld;
  /** How the tree in which the gate runs is filled. */
  fill: FillOptions;
  gate?: Gate;
  /** Commands that Cadre runs for the user, whose scripts are protected. */
  commands?: ListHarnessCommands;
  /** Why a deny rule keeps a file of the checkout from being changed by agents. */
  findDenied?(path: string): string | undefined;
  /** What the agent of a worktree reported last: the body of a commit that is made for it. None for a look. */
  findReport?(record: WorktreeRecord): Promise<string | undefined>;
  /** Only worktrees of this session are seen; all of the repository unless given. */
  session?: string;
  /** Why work that changes protected paths does not land; without it the user sees these paths in the plan. */
  refuseProtected?(paths: readonly string[], name: string): string | undefined;
}

/** The project's own check: only work that passes it lands. */
export interface Gate {
  command: string;
  /** Whether it runs behind walls: else it runs nothing of an agent's before a person has agreed. */
  isConfined(): Promise<boolean>;
  /** Runs it in a separate tree; the output is that of the failure. */
  run(cwd: string, signal?: AbortSignal): Promise<{ passed: boolean; output: string }>;
}

/** The agent whose work is in a worktree, so that work can be sent back to it. */
export interface Owner {
  agentId: string | null;
  name?: string;
}

/** A worktree, for users. */
export interface About {
  name: string;
  owner: Owner;
  /** The session that worked in it last, and when it was made. */
  session: string;
  createdAt: string;
}

/** A place where two changes conflict, as git marks it. */
export interface Conflict {
  path: string;
  /** With markers; empty where a file was deleted on one side or is binary. */
  hunks: string[];
  /** Git's message, where there are no hunks. */
  note?: string;
}

/** The outcome for one worktree. */
export type Landing =
  About /** `protected`: those of its files, in any of its commits, that other programs run or take settings from. */ &
    (
      | {
          status: 'landed';
          commits: number;
          files: string[];
          protected?: string[];
          removed: boolean;
          kept?: string;
        }
      /** Contains nothing that the target does not have. `kept`: why it still exists although it should have been removed. */
      /** `isThere`: it did something, and the target has that, for example from a landing that was interrupted. */
      | { status: 'empty'; removed: boolean; kept?: string; isThere?: true }
      /** A running process works in it. */
      | { status: 'busy' }
      /** `with`: what it conflicts with, where that is not the target. */
      | { status: 'conflict'; conflicts: Conflict[]; with?: string }
      /** Files of the user are in the way of its files. */
      | { status: 'blocked'; reason: string; files: string[]; hint?: string }
      | { status: 'gate'; output: string }
      | { status: 'failed'; reason: string }
      /** Nothing landed, for a reason that is not its own. */
      | { status: 'waiting' }
    );

export interface LandReport {
  target: string;
  from: string;
  /** The current commit of the target; the same as `from` where nothing landed. */
  to: string;
  landings: Landing[];
  /** Submodules in the checkout, at `top`, that are not at the commits that landed. */
  submodules?: string[];
  top?: string | undefined;
  /** Why nothing landed on the target although something could have. */
  refusal?: { reason: string; files: string[]; hint?: string };
}
