import type { CostReport } from '../protocol/cost.ts';
import type { AgentEvent, SessionState } from '../protocol/event.ts';
import type { Usage } from '../protocol/message.ts';
import type { PermissionMode } from '../protocol/permission.ts';
import type { BoardItem, MailMessage, MailState } from '../protocol/team.ts';
import type { TodoItem } from '../protocol/tool.ts';
import type { Agent } from './agent.ts';
import type { ShownConversation } from './entry.ts';
import type { ShownQuestion } from './question.ts';
import type { Task } from './task.ts';
import type { ShownTeam } from './team.ts';
import type { ShownWorkflow } from './workflow.ts';

/**
 * A screen's view of a session: a value, made from events alone by `reduce` and `reduceAll`. It never changes; a new
 * one shares all unchanged parts with the one before, so `===` tells what need not be drawn again. Text is as it
 * came, only bounded: the surface escapes it. Times are milliseconds since 1970; the current time is the
 * surface's concern.
 */
export interface View {
  readonly session: SessionFacts;
  /** The lead's conversation. The other agents hold theirs. */
  readonly lead: ShownConversation;
  /** By id, in the order in which they first appeared. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** All but agents, by id, oldest first. `taskList` has both. */
  readonly tasks: ReadonlyMap<string, Task>;
  /** Oldest first. */
  readonly questions: readonly ShownQuestion[];
  readonly cost: Cost;
  /** The newest, oldest first, including those that only explain a decision. */
  readonly notices: readonly Notice[];
  readonly leases: readonly ShownLease[];
  readonly worktrees: readonly Worktree[];
  readonly team: ShownTeam;
  /** Runs of workflows by id, oldest first. */
  readonly workflows: ReadonlyMap<string, ShownWorkflow>;
  /** Prompts sent that are not in the conversation yet. */
  readonly queued: readonly QueuedPrompt[];
  /** When the newest event came. */
  readonly at: number;
  /** Counts entries without a name. */
  readonly serial: number;
}

export interface SessionFacts {
  readonly id: string;
  readonly cwd: string;
  readonly branch: string | null;
  readonly model: string;
  /** How much it thinks, if the user chose a level. */
  readonly effort?: string | null;
  readonly mode: PermissionMode;
  readonly state: SessionState;
  readonly coordinator: boolean;
  /** The directory that the session's agents share, if there is one. */
  readonly scratchpad: string | null;
  readonly title: string | null;
  readonly todos: readonly TodoItem[];
  readonly context: Context;
  /** When the lead's current run started; null between runs. */
  readonly runStartedAt: number | null;
  /** What the current request has taken; null between requests. */
  readonly request: OpenRequest | null;
}

/** A request that the lead or its agents still work on. */
export interface OpenRequest {
  readonly startedAt: number;
  /** The session's cost then. */
  readonly microUsd: number | null;
  readonly files: ReadonlySet<string>;
}

/** How full the conversation is, in tokens. */
export interface Context {
  readonly used: number;
  /** Null if unknown. */
  readonly window: number | null;
}

/** The session's cost according to its ledger: each request is in it once. */
export interface Cost {
  /** In millionths of a dollar; null if a price is unknown. */
  readonly microUsd: number | null;
  readonly usage: Usage;
  readonly requests: number;
  /** Held for requests without a complete count; not part of the cost. */
  readonly heldMicroUsd?: number;
  /** Requests without a complete count. */
  readonly estimated: number;
  /** Rows do not overlap. */
  readonly byAgent: ReadonlyMap<string | null, AgentCost>;
}

export interface AgentCost {
  readonly microUsd: number | null;
  readonly usage: Usage;
  readonly requests: number;
  readonly heldMicroUsd?: number;
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

/** One agent's right to write a file; `holder` is null for the lead. */
export interface ShownLease {
  readonly path: string;
  readonly holder: string | null;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string;
  /** Its owner, current or former; null if no agent of this session is known for it. */
  readonly agentId: string | null;
  /** In words: how many files and lines. Null while unknown. */
  readonly diffstat: string | null;
}

export interface QueuedPrompt {
  readonly uuid: string;
  readonly text: string;
}

/** Everything that is reduced: the session's events, and facts only the surface knows. */
export type ViewEvent = AgentEvent | LeaseEvent | RewindEvent | SurfaceEvent;

/** All files this agent holds leases for now. */
export interface LeaseEvent {
  agentId: string | null;
  parentToolUseId: string | null;
  type: 'leases_changed';
  leases: readonly { path: string }[];
}

/** The user rewound to a prompt. `head` is the conversation's last message from here on; absent if it stays. */
export interface RewindEvent {
  agentId: string | null;
  parentToolUseId: string | null;
  type: 'session_rewound';
  to: string;
  head?: string | null;
  /** With `head`: the context that the next request takes. */
  contextTokens?: number;
  restored: readonly string[];
  removed: readonly string[];
}

export type SurfaceEvent =
  /** The result of `session.info()`, at the start and when it may have changed. Absent fields stay the same. */
  | {
      type: 'session_described';
      info: {
        id?: string;
        cwd?: string;
        model?: string;
        effort?: string | null;
        permissionMode?: PermissionMode;
        contextWindow?: number;
        /** `coordinator`: the lead only directs others. */
        mode?: 'normal' | 'coordinator';
        scratchpad?: string | null;
        title?: string;
      };
    }
  | { type: 'branch_changed'; branch: string | null }
  /** The result of `session.cost()`, between the ends of runs. */
  | { type: 'cost_reported'; cost: CostReport }
  | { type: 'worktrees_listed'; worktrees: readonly Worktree[] }
  /** Read from the team's files: what happened before anybody listened. */
  | {
      type: 'team_loaded';
      mail: readonly { message: MailMessage; state: MailState }[];
      board?: { name: string; items: readonly BoardItem[] };
    }
  | { type: 'prompt_sent'; uuid: string; text: string }
  /** One of them, or all. */
  | { type: 'prompts_withdrawn'; uuid?: string }
  /** The user has answered: the question and its repeats need not be shown while the answer travels. */
  | { type: 'answer_sent'; questionId: string };
