import type { Usage } from '../protocol/index.ts';
import type { CallCensus, RunStatus, WorkflowCallView } from '../protocol/workflow.ts';
import type { CallRunner, RunHalt } from './call-runner.ts';
import type { RunQuestion } from './run-port.ts';

export interface WorkflowLimits {
  maxConcurrent: number;
  maxCalls: number;
  askAboveAgents: number;
}

/** What a run needs besides its journal. */
export interface RunNeeds {
  runner: CallRunner;
  limits: WorkflowLimits;
  /** Runs calls again whose definition or model is another one now. */
  rerunsDiverged?: boolean | undefined;
  /** Undefined: go on. Otherwise why not. */
  confirm?(forecast: RunForecast): Promise<string | undefined>;
  ask?(question: RunQuestion, signal: AbortSignal): Promise<string | undefined>;
  note?(change: RunChange): void;
}

/** The agents that a run would have started with those that wait now. */
export interface RunForecast {
  agents: number;
  /** Of one agent of this run so far; undefined before the first has ended. */
  tokensPerAgent: number | undefined;
}

export type RunChange =
  | { type: 'call'; call: Omit<WorkflowCallView, 'runId'> }
  | { type: 'phase'; name: string }
  | { type: 'log'; text: string }
  | { type: 'suspended'; halt: RunHalt | undefined };

/** How the program of a run ended. `refused`: calls that it wanted above the limit, of which the run knows nothing else. */
export type ProgramEnd = {
  refused?: number;
} /**
 * `summary`: the value for people. `isPartial`: it ran to its end, and left something undone; false: nothing, whatever became of
 * single calls, since it made those again that failed. Absent: as its calls ended.
 */ & (
  | { ok: true; value: unknown; summary?: string | undefined; isPartial?: boolean | undefined }
  | { ok: false; reason: string; value?: unknown }
);

export interface RunEnd {
  runId: string;
  status: RunStatus;
  value?: unknown;
  /** The value for people, where it is not text. */
  summary?: string | undefined;
  reason?: string | undefined;
  until?: number | undefined;
  census: CallCensus;
  spent: Usage;
}
