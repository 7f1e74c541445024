import type { Model, ModelRequest } from '../../protocol/index.ts';
import { type AnswerTurn, scriptedModel, type Turn, type TurnMaker } from '../../testing/index.ts';

/** Who is on the stage, by the first line of the prompt that they were given; the lead has none. */
export interface Cast {
  lead: Turn[];
  workers: Record<string, Turn[]>;
}

/**
 * A model that plays everybody. Each step checks what the real tools and agents gave back before it goes on, so that
 * nothing depends on how fast anybody was.
 */
export function castModel({ lead, workers }: Cast): Model & { assertConsumed(): void } {
  const leading = scriptedModel(lead, { id: 'scripted/demo' });
  const others = new Map(
    Object.entries(workers).map(([line, turns]) => [line, scriptedModel(turns, { id: `scripted/${line}` })]),
  );
  return {
    id: leading.id,
    facts: leading.facts,
    stream: (request, signal) => (others.get(lineOf(request)) ?? leading).stream(request, signal),
    assertConsumed() {
      for (const model of [leading, ...others.values()]) model.assertConsumed();
    },
  };
}

function lineOf({ messages, asker }: ModelRequest): string {
  const [first] = messages[0]?.content ?? [];
  return asker?.agentId != null && first?.type === 'text' ? (first.text.split('\n')[0] ?? '') : '';
}

/**
 * Who may report when: workers run side by side, and whoever is done first would change the story. A report waits for its
 * cue; everything before it does not.
 */
export class Cues {
  readonly #given = new Map<string, PromiseWithResolvers<void>>();

  /** The same turn, which also gives these cues. */
  giving(names: readonly string[], turn: AnswerTurn): () => AnswerTurn {
    return () => {
      for (const name of names) this.#cue(name).resolve();
      return turn;
    };
  }

  on(name: string, turn: AnswerTurn): TurnMaker {
    return async () => {
      await this.#cue(name).promise;
      return turn;
    };
  }

  #cue(name: string): PromiseWithResolvers<void> {
    const found = this.#given.get(name) ?? Promise.withResolvers<void>();
    this.#given.set(name, found);
    return found;
  }
}

/** Where an agent works, as its prompt tells it. */
export function placeOf({ system }: ModelRequest): string {
  return /^Working directory: (.+)$/m.exec(system.join('\n'))?.[1] ?? '';
}
