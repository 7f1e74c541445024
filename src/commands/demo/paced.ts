import { type Clock, sleep } from '../../lib/clock.ts';
import type { Model } from '../../protocol/index.ts';

/** About the pace of a fast model, so a person can follow. */
const beforeAnswerMs = 500;
const betweenPiecesMs = 90;

/** The same words, at a pace to watch, until the user skips the pauses. */
export function pacedModel(model: Model, clock: Clock, skipped: AbortSignal): Model {
  const pause = async (ms: number, signal: AbortSignal) => {
    if (!skipped.aborted) await sleep(clock, ms, signal);
  };
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      await pause(beforeAnswerMs, signal);
      for await (const event of model.stream(request, signal)) {
        yield event;
        if (event.type === 'block_delta') await pause(betweenPiecesMs, signal);
      }
    },
  };
}
