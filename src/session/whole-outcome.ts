import type { Outcome } from '../protocol/index.ts';

/**
 * How an invocation ended whose lead ran several times, since the ends of background work woke it: as its last run, unless that
 * completed and an earlier one had failed. What the model says about a report does not answer the prompt that failed.
 */
export function chooseWhole(outcomes: readonly Outcome[]): Outcome | undefined {
  const last = outcomes.at(-1);
  return last?.kind === 'completed' ? (outcomes.find(isFailure) ?? last) : last;
}

/** One that was interrupted, by the user or by a limit, has its own codes. */
function isFailure({ kind }: Outcome): boolean {
  return kind !== 'completed' && kind !== 'interrupted' && kind !== 'unfinished';
}
