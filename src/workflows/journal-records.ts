import type { Usage } from '../protocol/index.ts';
import type { CallCensus, RunStatus } from '../protocol/workflow.ts';
import type { CallAgent, Resolution } from './call-runner.ts';
import type { CallOutcome } from './run-port.ts';

/** The format of a run's journal: `journal.jsonl` in the run's own directory. */
export const journalFormat = 1;

/** The first line. */
export interface JournalHeader {
  type: 'cadre-workflow-run';
  format: number;
  keyFormat: number;
  runId: string;
  version: string;
  createdAt: string;
}

/** What a run executes: a script, or a program that is built in. */
export interface WorkflowProgram {
  kind: 'script' | 'built-in';
  name: string;
  /** The file that it was read from. */
  path?: string | undefined;
  source?: string | undefined;
  phases?: readonly string[] | undefined;
  args?: unknown;
}

/** Every record carries the epoch of its writer; those of an earlier epoch after a later one are ignored. */
export type JournalRecord = { epoch: number; at: string } & JournalBody;

export type JournalBody =
  /** The journal is closed to earlier writers, one of which is alive. */
  | { type: 'claimed' }
  /** A process took the run over. The newest one says which program it runs. */
  | {
      type: 'opened';
      version: string;
      sessionId: string;
      cwd: string;
      program: WorkflowProgram;
      budget?: RunBudget;
    }
  | ({ type: 'begun'; label: string; phase?: string | undefined; resolution: Resolution } & CallNumber &
      CallAgent)
  | EndedRecord
  | ({ type: 'step'; name: string; value: unknown } & CallNumber)
  | ({ type: 'answer'; value: string } & CallNumber)
  /** The user agreed to more agents than are started without asking. */
  | { type: 'allowed'; agents: number }
  | { type: 'phase'; name: string }
  | { type: 'log'; text: string }
  | ClosedRecord;

/** A key, and the how many-th call with this key it is, from 1. */
export interface CallNumber {
  key: string;
  number: number;
}

export type EndedRecord = {
  type: 'ended';
  label: string;
  phase?: string | undefined;
  outcome: CallOutcome;
  value?: unknown;
  text: string;
  reason?: string | undefined;
  timedOut?: true | undefined;
  outputMissing?: true | undefined;
  agentId?: string | undefined;
  model?: string | undefined;
  usage: Usage;
  resolution?: Resolution | undefined;
} & CallNumber;

/** The end of a run in one process. A later record opens it again. */
export interface ClosedRecord {
  type: 'closed';
  status: RunStatus;
  value?: unknown;
  reason?: string | undefined;
  until?: number | undefined;
  census: CallCensus;
  spent: Usage;
}

/** The limits of the session that ran it, and what they leave for one that resumes it. */
export interface RunBudget {
  maxBudgetUsd?: number | undefined;
  maxTokens?: number | undefined;
}
