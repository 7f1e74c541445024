import type { ModelFailure, ModelRequest, StopReason, Usage } from '../protocol/index.ts';
import type { Expectation } from './expectations.ts';
import type { Fault } from './fake-provider/faults.ts';

/**
 * One answer in a script, for the scripted model and the fake provider. Everything but the functions is
 * plain JSON, so a script can live in a file.
 */
export type Turn = FixedTurn | TurnMaker;

/** Decides when asked. A promise keeps the model "thinking" until the test resolves it. */
export type TurnMaker = (request: ModelRequest) => FixedTurn | Promise<FixedTurn>;

export type FixedTurn = string | AnswerTurn | FailureTurn | RawTurn;

export interface AnswerTurn {
  blocks: ScriptedBlock[];
  /** By default `tool_use` if the blocks contain a call, else `end_turn`. */
  stopReason?: StopReason;
  /** Missing values are computed from the text sizes. */
  usage?: Partial<Usage>;
  /** Streams the blocks and then stays silent until the request is aborted. */
  hang?: boolean;
  /** For the fake provider: a fault on the wire. The scripted model, which has no wire, stops in mid-answer. */
  fault?: Fault;
  expect?: Expectation;
}

export interface FailureTurn {
  failure: ModelFailure;
  /** For the fake provider: headers besides those of the failure. */
  headers?: Record<string, string>;
  expect?: Expectation;
}

/** For the fake provider: a raw HTTP answer, including ones a provider would never send. */
export interface RawTurn {
  raw: { status?: number; headers?: Record<string, string>; body?: string };
  expect?: Expectation;
}

export type ScriptedBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; name: string; input: Record<string, unknown>; id?: string };

export function say(text: string): AnswerTurn {
  return { blocks: [{ type: 'text', text }] };
}

export function think(thinking: string, signature = 'scripted-signature'): AnswerTurn {
  return { blocks: [{ type: 'thinking', thinking, signature }] };
}

export function call(name: string, input: Record<string, unknown>, id?: string): AnswerTurn {
  return { blocks: [{ type: 'tool_use', name, input, id }] };
}

/** Several calls in one answer: `calls([call('Read', …), call('Grep', …)])`. */
export function calls(turns: readonly AnswerTurn[]): AnswerTurn {
  return together(...turns);
}

/** One answer of several parts, in order: `together(think('…'), say('…'), call('Read', …))`. */
export function together(...turns: readonly AnswerTurn[]): AnswerTurn {
  return Object.assign({}, ...turns, { blocks: turns.flatMap((turn) => turn.blocks) });
}

/** The model declines to answer. */
export function refuse(text = ''): AnswerTurn {
  return { blocks: text ? [{ type: 'text', text }] : [], stopReason: 'refusal' };
}

/** An answer with nothing in it. */
export function sayNothing(): AnswerTurn {
  return { blocks: [] };
}

/** The turn, with a fault on the wire. */
export function faulty(fault: Fault, turn: AnswerTurn): AnswerTurn {
  return { ...turn, fault };
}

/** Any HTTP answer: a page of a proxy, an odd status, no JSON at all. */
export function respond(raw: RawTurn['raw']): RawTurn {
  return { raw };
}

export function failWith(failure: ModelFailure, headers?: Record<string, string>): FailureTurn {
  return { failure, headers };
}

/** Streams the given blocks, then nothing more until the request is aborted. */
export function hang(turn: AnswerTurn = { blocks: [] }): AnswerTurn {
  return { ...turn, hang: true };
}

/** The turn, checked against the request that it answers. */
export function expecting<T extends AnswerTurn | FailureTurn | RawTurn>(expect: Expectation, turn: T): T {
  return { ...turn, expect };
}
