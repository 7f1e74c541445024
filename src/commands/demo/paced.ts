import { type Clock, sleep } from '../../lib/clock.ts';
import type { Model } from '../../protocol/index.ts';

/** About the pace of a fast model, so a person can follow. */
const beforeAnswerMs = 500;
const betweenPiecesMs = 90;

/** The same words, at a pace to watch. */
export function pacedModel(model: Model, clock: Clock): Model {
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      await sleep(clock, beforeAnswerMs, signal);
      for await (const event of model.stream(request, signal)) {
        yield event;
        if (event.type === 'block_delta') await sleep(clock, betweenPiecesMs, signal);
      }
    },
  };
}
