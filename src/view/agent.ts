import type { TodoItem } from '../protocol/tool.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { ShownConversation } from './entry.ts';

export interface Agent extends AgentSummary {
  readonly runId: string;
  /** Calls in the runs before this one. */
  readonly earlierTools: number;
  /** The agent that started it; null is the lead. */
  readonly parent: string | null;
  /** The call that started it, or that resumed it. */
  readonly callId: string | null;
  /** The ends of the runs before this one, each under the call that started it. */
  readonly earlierRuns: readonly EarlierRun[];
  /** Why it sends nothing, and until when, in milliseconds since 1970: it waits for a limit to reset. */
  readonly suspended?: { readonly until: number; readonly reason: string } | undefined;
  readonly outputFile: string;
  readonly todos: readonly TodoItem[];
  /** Ids of its waiting questions. */
  readonly questions: readonly string[];
  /** Its own worktree, if it has one. */
  readonly worktree: { readonly path: string; readonly branch: string } | null;
  readonly conversation: ShownConversation;
}

export interface EarlierRun {
  readonly callId: string | null;
  readonly parent: string | null;
  readonly summary: AgentSummary;
}

export interface AgentNode {
  readonly agent: Agent;
  readonly children: readonly AgentNode[];
}
