import { noUsage } from '../protocol/index.ts';
import type { CallCensus } from '../protocol/workflow.ts';
import { describeStop } from './call-gate.ts';
import type { CallResult, RunHalt } from './call-runner.ts';
import { hasDead } from './census.ts';
import type { ProgramEnd, RunEnd } from './run-types.ts';

/** How a run ended, from the end of its program and what happened to its calls. A program that does not say whether it left something undone is never better than its calls. */
export function judgeEnd(
  program: ProgramEnd,
  { halt, signal, census }: { halt: RunHalt | undefined; signal: AbortSignal; census: CallCensus },
  /** It was stopped before its program ended. */
  isStopped: boolean,
): Pick<RunEnd, 'status' | 'value' | 'summary' | 'reason' | 'until'> {
  if (halt) return { status: halt.byUser ? 'stopped' : 'suspended', reason: halt.reason, until: halt.until };
  if (isStopped || (program.ok && signal.aborted)) return { status: 'stopped', reason: describeStop(signal) };
  if (!program.ok) return { status: 'failed', reason: program.reason, value: program.value };
  const { value, summary, isPartial } = program;
  return { status: (isPartial ?? hasDead(census)) ? 'partial' : 'completed', value, summary };
}

export const noPrompt = {
  ok: false as const,
  problem: { message: 'prompt: expected text that is not empty.' },
};

export const skippedEnd = {
  kind: 'ended' as const,
  outcome: 'skipped' as const,
  text: '',
  reason: 'Skipped by the user.',
  usage: noUsage,
};

export function refuseCall(reason: string): Extract<CallResult, { kind: 'ended' }> {
  return { kind: 'ended', outcome: 'refused', text: '', reason, usage: noUsage };
}

export function describeMaxCalls(maxCalls: number, refused = 0): string {
  const what = refused === 1 ? '1 call was refused: ' : `${refused} calls were refused: `;
  return `${refused > 0 ? what : ''}A run may make at most ${maxCalls} calls (the setting workflows.maxCalls).`;
}
