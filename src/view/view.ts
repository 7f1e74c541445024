import type { CostReport } from '../protocol/cost.ts';
import type { AgentEvent, SessionState } from '../protocol/event.ts';
import type { Usage } from '../protocol/message.ts';
import type { PermissionMode } from '../protocol/permission.ts';
import type { TodoItem } from '../protocol/tool.ts';
import type { Agent } from './agent.ts';
import type { ShownConversation } from './entry.ts';
import type { ShownQuestion } from './question.ts';
import type { Task } from './task.ts';

/**
 * What a screen shows of a session: a value, made from events alone by `reduce` and `reduceAll`. It never changes; a new
 * one shares with the one before all that is the same, so that `===` tells what need not be drawn again. Texts are as they
 * came, only bounded: the surface escapes them. Times are milliseconds since 1970; what the clock says now is the
 * surface's affair.
 */
export interface View {
  readonly session: SessionFacts;
  /** The lead's conversation. Those of the others are with them. */
  readonly lead: ShownConversation;
  /** By id, in the order in which they were first heard of. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** All but agents, by id, oldest first. `taskList` has both. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Oldest first. */
  readonly questions: readonly ShownQuestion[];
  readonly cost: Cost;
  /** The newest, oldest first, also those for whoever looks for the reason of something. */
  readonly notices: readonly Notice[];
  readonly leases: readonly ShownLease[];
  readonly worktrees: readonly Worktree[];
  /** Prompts that were sent and are not in the conversation yet. */
  readonly queued: readonly QueuedPrompt[];
  /** When the newest event came. */
  readonly at: number;
  /** Counts what has no name of its own. */
  readonly serial: number;
}

export interface SessionFacts {
  readonly id: string;
  readonly cwd: string;
  readonly branch: string | null;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly state: SessionState;
  readonly coordinator: boolean;
  /** The directory that the agents of the session share, if there is one. */
  readonly scratchpad: string | null;
  readonly title: string | null;
  readonly todos: readonly TodoItem[];
  readonly context: Context;
  /** Since when the lead's run is under way; null between runs. */
  readonly runStartedAt: number | null;
}

/** How full the conversation is, in tokens. */
export interface Context {
  readonly used: number;
  /** Null where it is not known. */
  readonly window: number | null;
}

/** What the session has cost, as its own book says: each request is in it once. */
export interface Cost {
  /** In millionths of a dollar; null when a price is not known. */
  readonly microUsd: number | null;
  readonly usage: Usage;
  readonly requests: number;
  /** Requests that broke off: they count with the most that they can have cost. */
  readonly estimated: number;
  /** Nobody's holds somebody else's. */
  readonly byAgent: ReadonlyMap<string | null, AgentCost>;
}

export interface AgentCost {
  readonly microUsd: number | null;
  readonly usage: Usage;
  readonly requests: number;
  readonly estimated: number;
}

export interface Notice {
  readonly id: string;
  readonly at: number;
  /** Null for the session itself and its lead. */
  readonly agentId: string | null;
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly text: string;
}

/** The right of one agent to write a file; `holder` is null for the lead. */
export interface ShownLease {
  readonly path: string;
  readonly holder: string | null;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** Whose it is or was; null where no agent of this session is known for it. */
  readonly agentId: string | null;
  /** In words: how many files and lines. Null while it is not known. */
  readonly diffstat: string | null;
}

export interface QueuedPrompt {
  readonly uuid: string;
  readonly text: string;
}

/** All that is reduced: what happened in the session, and what only the surface knows. */
export type ViewEvent = AgentEvent | LeaseEvent | RewindEvent | SurfaceEvent;

/** The files that this agent has on lease now: all of them. */
export interface LeaseEvent {
  agentId: string | null;
  parentToolUseId: string | null;
  type: 'leases_changed';
  leases: readonly { path: string }[];
}

/** Somebody went back to a prompt. `head` is the conversation's last message from here on; absent where it stays. */
export interface RewindEvent {
  agentId: string | null;
  parentToolUseId: string | null;
  type: 'session_rewound';
  to: string;
  head?: string | null;
  /** With `head`: what the next request takes of the context. */
  contextTokens?: number;
  restored: readonly string[];
  removed: readonly string[];
}

export type SurfaceEvent =
  /** What `session.info()` says, at the start and when it may have changed. What is left out stays. */
  | {
      type: 'session_described';
      info: {
        id?: string;
        cwd?: string;
        model?: string;
        permissionMode?: PermissionMode;
        contextWindow?: number;
        /** `coordinator`: the lead only directs others. */
        mode?: 'normal' | 'coordinator';
        scratchpad?: string | null;
        title?: string;
      };
    }
  | { type: 'branch_changed'; branch: string | null }
  /** What `session.cost()` says, between the ends of runs. */
  | { type: 'cost_reported'; cost: CostReport }
  | { type: 'worktrees_listed'; worktrees: readonly Worktree[] }
  | { type: 'prompt_sent'; uuid: string; text: string }
  /** One of them, or all. */
  | { type: 'prompts_withdrawn'; uuid?: string }
  /** The person has answered: the question and its repeats need not be shown while the answer travels. */
  | { type: 'answer_sent'; questionId: string };
