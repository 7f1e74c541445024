import { type Clock, sleep } from '../lib/clock.ts';
import type { Model, ModelEvent, ModelFailure } from '../protocol/index.ts';
import { computeBackoff, isRefusal } from './attempts.ts';

/** How often a broken answer is requested again. */
const maxBroken = 2;

/**
 * The same model, for one that nobody paces: an answer that breaks after it began, or makes no sense, is dropped and
 * requested again. When to send a request at all is its owner's decision, so one that fails before its answer fails.
 */
export function withWholeAnswers(model: Model, clock: Clock): Model {
  return {
    ...model,
    async *stream(request, signal) {
      for (let broken = 1; ; broken++) {
        let isBegun = false;
        let failed: Extract<ModelEvent, { type: 'response_failed' }> | undefined;
        for await (const event of model.stream(request, signal)) {
          isBegun ||= event.type.startsWith('block_');
          if (event.type === 'response_failed') failed = event;
          else yield event;
        }
        if (!failed) return;
        const { failure, usage } = failed;
        if (signal.aborted || broken > maxBroken || !isBroken(failure, isBegun)) return yield failed;
        const delayMs = isRefusal(failure) ? computeBackoff(broken, failure, 0) : 0;
        yield { type: 'request_retried', attempt: broken, delayMs, failure, usage };
        if (delayMs > 0) await sleep(clock, delayMs, signal);
      }
    },
  };
}

function isBroken(failure: ModelFailure, isBegun: boolean): boolean {
  if (failure.kind === 'malformed') return true;
  return isBegun && (isRefusal(failure) || failure.kind === 'network' || failure.kind === 'server');
}
