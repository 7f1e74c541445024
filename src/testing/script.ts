import type { ModelRequest } from '../protocol/index.ts';
import { mismatches } from './expectations.ts';
import type { AnswerTurn, FailureTurn, FixedTurn, RawTurn, Turn, TurnMaker } from './turns.ts';

/**
 * A list of turns used in order, or a function that answers everything. It complains about unexpected requests,
 * requests that differ from the expectation, and steps never requested.
 */
export interface ModelScript {
  /** The complaints so far, in order. */
  readonly complaints: string[];
  /** Steps taken so far, the unexpected ones included. */
  readonly taken: number;
  /** The next answer. A problem with the request becomes both a complaint and the answer. */
  take(request: ModelRequest): Promise<ScriptedTurn>;
  complain(text: string): void;
  /** Throws unless every step was requested without complaints. */
  assertConsumed(): void;
}

export type ScriptedTurn = AnswerTurn | FailureTurn | RawTurn;

export function openScript(turns: readonly Turn[] | TurnMaker, name: string): ModelScript {
  const complaints: string[] = [];
  let taken = 0;

  function complain(text: string): FailureTurn {
    complaints.push(text);
    return { failure: { kind: 'invalid_request', message: text, status: 400 } };
  }

  return {
    complaints,
    get taken() {
      return taken;
    },
    complain,
    async take(request) {
      const step = taken++;
      const turn = typeof turns === 'function' ? turns : turns[step];
      if (turn === undefined) return complain(unexpected(name, step, turns.length, request));
      const fixed = normalised(typeof turn === 'function' ? await turn(request) : turn);
      const wrong = mismatches(fixed.expect, request);
      if (wrong.length === 0) return fixed;
      return complain(`${name}, step ${step + 1}: ${wrong.join('\n')}`);
    },
    assertConsumed() {
      const unconsumed = typeof turns === 'function' ? [] : turns.slice(taken);
      const lines = [...complaints, ...unconsumed.map((turn, i) => neverAsked(name, taken + i, turn))];
      if (lines.length > 0) throw new Error(lines.join('\n'));
    },
  };
}

function normalised(turn: FixedTurn): ScriptedTurn {
  return typeof turn === 'string' ? { blocks: [{ type: 'text', text: turn }] } : turn;
}

function unexpected(name: string, step: number, length: number, request: ModelRequest): string {
  const last = JSON.stringify(request.messages.at(-1)?.content ?? []);
  return `${name}: request ${step + 1} was not expected: the script has ${length} steps and ended with ${shortened(last)}`;
}

function neverAsked(name: string, step: number, turn: Turn): string {
  const shown = typeof turn === 'function' ? 'a function' : shortened(JSON.stringify(turn));
  return `${name}, step ${step + 1} was never requested: ${shown}`;
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
