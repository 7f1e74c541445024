import type { EffortLevel } from '../protocol/effort.ts';
import type { Usage } from '../protocol/index.ts';
import type { AgentCallVerdict, CallOutcome } from '../protocol/workflow.ts';

/**
 * A run, as the program that it runs sees it: a pattern of hand-offs or a workflow script. Everything that costs money or
 * time goes through it and is written to the run's journal, so a run that is resumed gets the recorded ends of finished
 * calls instead of paying for them again. It knows nothing of sessions; the twin for tests is `memoryRun`.
 */
export interface RunPort {
  readonly id: string;
  /** Fires when the run is stopped. Calls then end as `interrupted`. */
  readonly signal: AbortSignal;
  /** Runs one agent. Never rejects: a failure is an end. */
  agent(prompt: string, options?: AgentCallOptions): Promise<AgentCallEnd>;
  /** Runs work of the harness, such as a project's checks, once: a resumed run gets the recorded value. */
  step<T>(step: RunStep<T>): Promise<T>;
  /** Asks the user. Undefined where no one can answer, or the time is up. */
  ask(question: RunQuestion): Promise<string | undefined>;
  /** Later calls belong to this phase, unless their options name another. */
  phase(name: string): void;
  /** A line about the run for the user. */
  log(text: string): void;
  /** What the whole run has spent. */
  spent(): Usage;
}

/** What the script wrote about a call. Its key is a hash of these and the prompt: what they resolve to is not in it. */
export interface AgentCallOptions {
  /** How it is shown. Not part of the key. */
  label?: string | undefined;
  phase?: string | undefined;
  /** JSON Schema of the answer; the agent answers through the structured output tool. */
  schema?: Record<string, unknown> | undefined;
  /** The name of an agent type. */
  agentType?: string | undefined;
  model?: string | undefined;
  effort?: EffortLevel | undefined;
  isolation?: 'worktree' | undefined;
  /** Restricts the tools further than the agent's type does; names and wildcards as in a definition. */
  tools?: readonly string[] | undefined;
  /** Replaces the body of the agent's definition. */
  system?: string | undefined;
  /** Files that this agent may neither open, list nor match, by any tool; patterns as in a deny rule of `Read`. */
  hiddenFiles?: readonly string[] | undefined;
  timeoutMs?: number | undefined;
}

export { type AgentCallVerdict, type CallOutcome, callOutcomes, callVerdicts } from '../protocol/workflow.ts';

export interface AgentCallEnd {
  outcome: CallOutcome;
  /** The answer: an object that fits the schema, else the text of the last message. Absent unless `ok`. */
  value?: unknown;
  /** The last text, also of a call that did not end well. */
  text: string;
  reason?: string | undefined;
  /** The time limit of the call ended it: then the outcome is `failed`. */
  timedOut?: true | undefined;
  /** It ended without an answer that fits the schema: then the outcome is `failed`, and `text` is what it said instead. */
  outputMissing?: true | undefined;
  /** The agent that did it, for its transcript; absent if none was started. */
  agentId?: string | undefined;
  model?: string | undefined;
  usage: Usage;
  verdict: AgentCallVerdict;
}

/** Work of the harness, known by its name and its input. Its value must be data: it is kept as JSON. */
export interface RunStep<T> {
  name: string;
  input: unknown;
  work(signal: AbortSignal): Promise<T>;
}

export interface RunQuestion {
  text: string;
  choices?: readonly string[] | undefined;
}
