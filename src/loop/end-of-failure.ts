import type { ModelFailure, Outcome } from '../protocol/index.ts';

type End = Pick<Outcome, 'kind' | 'reason' | 'failure'>;

/** How a run ends when its model request failed. */
export function endAfterFailure(failure: ModelFailure, signal: AbortSignal): End {
  if (failure.kind === 'aborted') return endAfterInterrupt(signal);
  return { kind: chooseKind(failure), reason: failure.message, failure };
}

/** A limit that resets later has interrupted the run, which can be continued then. */
function chooseKind({ kind, resetsAt }: ModelFailure): End['kind'] {
  if (kind === 'out_of_budget') return kind;
  return resetsAt === undefined ? 'failed' : 'interrupted';
}

/** The caller that ends a run may give the reason, in a sentence. */
export function endAfterInterrupt({ reason }: AbortSignal): End {
  return { kind: 'interrupted', reason: typeof reason === 'string' ? reason : 'Interrupted by the user.' };
}
