import type { Outcome } from '../protocol/index.ts';
import type { StructuredOutput } from '../tools/structured-output/synthetic-output.ts';

/** How a run ends once its answer is returned, or can no longer be; undefined while the run continues. */
export function endAfterOutput(output: StructuredOutput | undefined): Partial<Outcome> | undefined {
  const state = output?.state();
  if (state?.kind === 'given') return { kind: 'completed', output: state.value };
  if (state?.kind === 'failed') return { kind: 'failed', reason: state.reason, outputMissing: true };
  return undefined;
}
