import type { ModelFailure, Outcome } from '../protocol/index.ts';

type End = Pick<Outcome, 'kind' | 'reason' | 'failure'>;

/** How a run ends when its model request failed. */
export function endAfterFailure(failure: ModelFailure, signal: AbortSignal): End {
  if (failure.kind === 'aborted') return endAfterInterrupt(signal);
  const kind = failure.kind === 'out_of_budget' ? 'out_of_budget' : 'failed';
  return { kind, reason: failure.message, failure };
}

/** The caller that ends a run may give the reason, in a sentence. */
export function endAfterInterrupt({ reason }: AbortSignal): End {
  return { kind: 'interrupted', reason: typeof reason === 'string' ? reason : 'Interrupted by the user.' };
}
