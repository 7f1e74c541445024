import type { Usage } from './message.ts';

/** Why a call of a workflow ended as it did. */
export const callOutcomes = ['ok', 'failed', 'refused', 'over_budget', 'skipped', 'interrupted'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** How a call was come by in this process. */
export const callVerdicts = ['EXECUTED', 'REPLAYED', 'HALTED', 'DIVERGED'] as const;
export type AgentCallVerdict = (typeof callVerdicts)[number];

/**
 * `partial`: the program ended, but not all of its calls ended well. `suspended`: a limit or an error of the provider keeps
 * the run from starting more; it can be resumed. `stopped`: by the user, or by its session's end; it can be resumed.
 */
export const runStatuses = ['running', 'completed', 'partial', 'failed', 'suspended', 'stopped'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** How many calls ended how, and how they were come by. */
export interface CallCensus {
  outcomes: Record<CallOutcome, number>;
  verdicts: Record<AgentCallVerdict, number>;
}

/** A run of a workflow, without its calls. */
export interface WorkflowView {
  runId: string;
  /** The task that runs it. */
  taskId: string;
  name: string;
  status: RunStatus;
  /** Those that its `meta` names, then others as they come. */
  phases: readonly string[];
  phase?: string | undefined;
  calls: { total: number; running: number; waiting: number };
  census: CallCensus;
  spent: Usage;
  reason?: string | undefined;
  /** Suspended until then. Wall clock, milliseconds since 1970. */
  until?: number | undefined;
}

/** One call of a run. */
export interface WorkflowCallView {
  runId: string;
  /** Its key, shortened, and its number among equal calls. */
  callId: string;
  label: string;
  phase?: string | undefined;
  state: 'waiting' | 'running' | 'ended';
  agentId?: string | undefined;
  outcome?: CallOutcome | undefined;
  verdict?: AgentCallVerdict | undefined;
  reason?: string | undefined;
  tokens: number;
}
