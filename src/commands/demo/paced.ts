import { type Clock, sleep } from '../../lib/clock.ts';
import type { Model, ModelRequest } from '../../protocol/index.ts';
import { say, scriptedModel } from '../../testing/index.ts';

/** About as a quick model answers, so that a person can follow. */
const beforeAnswerMs = 500;
const betweenPiecesMs = 90;

/** The same words, at a pace to watch where there is a clock. What is asked after the story's end gets an answer too. */
export function pacedModel(
  model: Model,
  clock: Clock | undefined,
  isOver: (request: ModelRequest) => boolean,
): Model {
  const afterwards = scriptedModel(() => say(theEnd), { id: model.id });
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      if (clock) await sleep(clock, beforeAnswerMs, signal);
      for await (const event of (isOver(request) ? afterwards : model).stream(request, signal)) {
        yield event;
        if (clock && event.type === 'block_delta') await sleep(clock, betweenPiecesMs, signal);
      }
    },
  };
}

const theEnd = `That was the story; I have no more lines. Look around: **ctrl-t** shows the workers, and what each of them did; **/cost**, **/context** and **/worktrees** work too. **ctrl-c** twice leaves.

With a model of your own: \`export ANTHROPIC_API_KEY=…\`, or \`cadre setup\`.`;
