import type { TodoItem } from '../protocol/tool.ts';
import type { AgentSummary } from './agent-summary.ts';
import type { ShownConversation } from './entry.ts';

export interface Agent extends AgentSummary {
  readonly runId: string;
  /** Calls in the runs before this one. */
  readonly earlierTools: number;
  readonly model: string;
  readonly prompt: string;
  /** The agent that started it; null is the lead. */
  readonly parent: string | null;
  /** Agents above it; 1 for the lead's own. */
  readonly depth: number;
  /** The call that started it, or that it goes on with now. */
  readonly callId: string | null;
  /** How the runs before this one ended, each under the call that began it. */
  readonly earlierRuns: readonly EarlierRun[];
  readonly stoppedBy: 'user' | 'agent' | null;
  readonly outputFile: string;
  /** The newest last, five at most. */
  readonly activities: readonly string[];
  readonly todos: readonly TodoItem[];
  /** Ids of its questions that wait. */
  readonly questions: readonly string[];
  /** Where it works apart from everybody else. */
  readonly worktree: { readonly path: string; readonly branch: string } | null;
  /** Its end result, shortened. */
  readonly result: string;
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
