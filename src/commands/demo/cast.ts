import { type Model, type ModelRequest, textOf } from '../../protocol/index.ts';
import { type AnswerTurn, say, scriptedModel, type Turn, type TurnMaker } from '../../testing/index.ts';

/** A turn that is due once its player received something. Earlier messages get a short reply. */
export interface DueTurn {
  due(request: ModelRequest): boolean;
  turn: Turn;
}

export type CastLine = Turn | DueTurn;

/** The players, by the first line of their prompts; the lead has none. */
export interface Cast {
  lead: CastLine[];
  workers: Record<string, CastLine[]>;
  /** Players that are stopped midway: turns they do not reach are not errors. */
  stopped?: string;
  /** The lead's words when no turn is due, and when all are done. */
  meanwhile: string;
  end: string;
}

export interface CastModel extends Model {
  assertConsumed(): void;
}

/**
 * A model that plays all agents. Each step checks the results of the real tools and agents before it continues, so
 * nothing depends on speed. The user may write to any agent at any time, and stop work that is not needed.
 */
export function castModel({ lead, workers, stopped, meanwhile, end }: Cast): CastModel {
  const leading = createPlayer('scripted/demo', lead, (_, isOver) => (isOver ? end : meanwhile));
  const others = new Map(
    Object.entries(workers).map(([line, lines]) => [
      line,
      createPlayer(`scripted/${line}`, lines, repeatReport),
    ]),
  );
  return {
    id: leading.id,
    facts: leading.facts,
    stream: (request, signal) => (findPlayer(request, others) ?? leading).stream(request, signal),
    assertConsumed() {
      leading.assertConsumed();
      for (const [line, player] of others) if (line !== stopped) player.assertConsumed();
    },
  };
}

/** `aside` is the reply when no line is due. */
function createPlayer(
  id: string,
  lines: readonly CastLine[],
  aside: (request: ModelRequest, isOver: boolean) => string,
): CastModel {
  const model = scriptedModel(
    lines.map((line) => (isDueTurn(line) ? line.turn : line)),
    { id },
  );
  const passing = scriptedModel((request) => say(aside(request, model.requests.length >= lines.length)), {
    id,
  });
  return {
    ...model,
    stream(request, signal) {
      const next = lines[model.requests.length];
      const isDue = next !== undefined && (!isDueTurn(next) || next.due(request));
      return (isDue ? model : passing).stream(request, signal);
    },
  };
}

function isDueTurn(line: CastLine): line is DueTurn {
  return typeof line === 'object' && 'due' in line;
}

/** An agent's last words are its report, so it repeats them. */
function repeatReport({ messages }: ModelRequest): string {
  const said = messages.filter(({ role }) => role === 'assistant').map(({ content }) => textOf(content));
  return `I have read it. My report is unchanged: ${said.findLast((text) => text !== '') ?? 'none yet.'}`;
}

/** A turn that is due once its player received this, in any message. */
export function told(words: string, turn: Turn): DueTurn {
  return {
    due: ({ messages }) =>
      messages.some(({ role, content }) => role === 'user' && textOf(content).includes(words)),
    turn,
  };
}

/** A reminder of the harness may come before the prompt. */
function findPlayer<T>({ messages, asker }: ModelRequest, players: ReadonlyMap<string, T>): T | undefined {
  if (asker?.agentId == null) return undefined;
  for (const block of messages[0]?.content ?? []) {
    const player = block.type === 'text' ? players.get(block.text.split('\n')[0] ?? '') : undefined;
    if (player) return player;
  }
  return undefined;
}

/**
 * Which worker may report when: workers run side by side, and the fastest one would change the story. A report waits for
 * its cue; everything before it does not.
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

/** An agent's directory, from its prompt. */
export function readWorkingDirectory({ system }: ModelRequest): string {
  return /^Working directory: (.+)$/m.exec(system.join('\n'))?.[1] ?? '';
}
