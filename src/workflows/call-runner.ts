import type { Result } from '../lib/result.ts';
import type { Suspension, Usage } from '../protocol/index.ts';
import type { AgentCallOptions, CallOutcome } from './run-port.ts';

/** A call as the program wrote it. */
export interface WrittenCall {
  prompt: string;
  options: AgentCallOptions;
}

/** What the words of a call mean on this machine now. */
export interface Resolution {
  agentType: string;
  /** A hash of the agent's definition. */
  definition: string;
  /** `provider/id`. */
  model: string;
}

/** An agent that works on a call, and where its transcript is. */
export interface CallAgent {
  agentId: string;
  sessionId: string;
  transcript: string;
}

/** What a run needs of the session around it: agents. */
export interface CallRunner {
  resolve(call: WrittenCall): Result<Resolution>;
  /** Runs one agent to its end, or until nothing more can be sent to its provider. Never rejects. */
  run(call: WrittenCall, how: CallConduct): Promise<CallResult>;
}

export interface CallConduct {
  signal: AbortSignal;
  label: string;
  /** The agent that worked on it in an earlier process: it continues from its transcript. */
  earlier?: CallAgent | undefined;
  /** Called before the agent's first request. On a failure nothing is sent. */
  noteStarted(agent: CallAgent): Promise<Result<void>>;
  /** It waits for a limit to reset; undefined: no longer. */
  noteSuspended(suspension: Suspension | undefined): void;
}

export type CallResult =
  | {
      kind: 'ended';
      outcome: CallOutcome;
      value?: unknown;
      text: string;
      reason?: string | undefined;
      timedOut?: true | undefined;
      outputMissing?: true | undefined;
      agentId?: string | undefined;
      model?: string | undefined;
      usage: Usage;
    }
  /** Its provider accepts nothing for now, or for good. The call has no end yet. */
  | { kind: 'halted'; halt: RunHalt; agentId?: string | undefined; usage: Usage };

/** Why a run starts nothing more. */
export interface RunHalt {
  reason: string;
  /** When it may continue, where that is known. Wall clock, milliseconds since 1970. */
  until?: number | undefined;
  /** The user did not want it. */
  byUser?: true | undefined;
}
