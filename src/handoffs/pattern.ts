import type { RunPort } from '../workflows/run-port.ts';
import type { PhaseRecords } from './phase-records.ts';
import type { ChangedFile, FailedCheck, UserAnswer } from './schema.ts';
import type { HandoffSetup } from './setup.ts';

/** What is to be done, for every phase of a pattern. */
export interface HandoffTask {
  feature: string;
  specPath?: string | undefined;
  relevantFiles?: readonly string[] | undefined;
  constraints?: readonly string[] | undefined;
}

/** All that goes from one phase to the next. */
export interface Carry {
  /** The summary of the phase before. */
  summary?: string | undefined;
  /** For validators; for a writer that fixes failures, the files to look at. */
  filesChanged?: readonly ChangedFile[] | undefined;
  /** For a writer that is called again. */
  failedChecks?: readonly FailedCheck[] | undefined;
  /** For the phase that asked. */
  answers?: readonly UserAnswer[] | undefined;
}

export interface PatternContext {
  run: RunPort;
  setup: HandoffSetup;
  task: HandoffTask;
  /** Where in the pattern it runs, such as `2` or `3.lint`: the same in a resumed run. */
  path: string;
  carry: Carry;
  /** Every phase that has ended, for the report and for whoever has to decide. */
  records: PhaseRecords;
}

/**
 * Phases, combined. `Findings` is what the last of them found. A pattern never rejects for an expected failure: that is an
 * end, with the way to continue from it if a user can help.
 */
export interface Pattern<Findings = unknown> {
  /** For progress: `writer`, `chain`. */
  readonly name: string;
  run(context: PatternContext): Promise<PatternEnd<Findings>>;
}

export type PatternEnd<Findings> = PatternSuccess<Findings> | PatternHalt<Findings>;

export interface PatternSuccess<Findings> {
  kind: 'complete';
  findings: Findings;
  carry: Carry;
  issues: readonly string[];
  /** The writer that is called again if a later phase finds failures. */
  fixer?: Pattern | undefined;
}

/** Why a pattern did not complete. `stopped`: an agent said STOP. The rest is what their names say. */
export const haltKinds = [
  'stopped',
  'validation_failed',
  'needs_answers',
  'timed_out',
  'blocked',
  'failed',
  'over_budget',
  'skipped',
  'interrupted',
] as const;
export type HaltKind = (typeof haltKinds)[number];

export interface PatternHalt<Findings> {
  kind: HaltKind;
  reason: string;
  /** What the user can do about it. */
  suggestion: string;
  issues: readonly string[];
  questions?: readonly string[] | undefined;
  failedChecks?: readonly FailedCheck[] | undefined;
  /** What the halted phase knew. */
  carry?: Carry | undefined;
  /** The raw answer of a blocked phase. */
  handle?: string | undefined;
  /** Continues from here with what the user said. Absent where nothing that a user says would help. */
  continueWith?: ((said: UserInput) => Promise<PatternEnd<Findings>>) | undefined;
}

/** Answers to the questions of a halt, or a hint for another try; both may be empty. */
export interface UserInput {
  answers?: readonly UserAnswer[] | undefined;
  hint?: string | undefined;
}

/** The same halt of a larger pattern: what comes after it is added to its continuation. */
export function wrapHalt<Inner, Outer>(
  halt: PatternHalt<Inner>,
  proceed: (end: PatternEnd<Inner>) => Promise<PatternEnd<Outer>>,
): PatternHalt<Outer> {
  const { continueWith, ...rest } = halt;
  if (!continueWith) return rest;
  return { ...rest, continueWith: async (said) => proceed(await continueWith(said)) };
}
