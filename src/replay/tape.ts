import { z } from 'zod';
import type { Answer, Command, Message, ModelEvent, ModelFacts, ToolResult } from '../protocol/index.ts';
import type { TaskEnd, TaskSpec } from '../protocol/task.ts';
import type { TodoItem, ToolProgress } from '../protocol/tool.ts';

export const tapeFormat = 1;

/** The first line of a tape. */
export interface TapeHeader {
  type: 'cadre-tape';
  format: number;
  version: string;
  /** Milliseconds since 1970; `at` of every step counts from here. */
  startedAt: number;
  /** The seed of the run's ids and randomness. */
  seed: string;
  /** How the session was opened. */
  options?: Record<string, unknown> | undefined;
  /** Whether it was in a git repository. */
  isRepository?: boolean | undefined;
}

/**
 * What came into a run from outside, one line each, in the order in which it came. Between two of them the run is
 * deterministic, so that the same lines make the same run. `at` is when, in milliseconds since the start.
 */
export type TapeEntry =
  /** The name by which a model was requested; empty is the session's own. */
  | { type: 'model'; name: string; id: string; facts: ModelFacts }
  | { type: 'command'; at: number; command: Command }
  /** An agent's request to its model, without what it repeats of the request before. Not an input, but compared. */
  | {
      type: 'request';
      request: number;
      agent: string | null;
      kept: number;
      messages: Message[];
      rest?: object;
    }
  | { type: 'event'; at: number; request: number; event: ModelEvent }
  /** A tool is called: not an input either. `call` names the agent and the call. */
  | { type: 'call'; call: string; name: string; input: unknown }
  | { type: 'progress'; at: number; call: string; progress: ToolProgress }
  /** A tool's effect on its agent besides its result. */
  | { type: 'effect'; at: number; call: string; effect: TapeEffect }
  | { type: 'result'; at: number; call: string; result: ToolResult }
  | { type: 'threw'; at: number; call: string; message: string }
  /** Background work ended. */
  | { type: 'task'; at: number; task: string; end: TaskEnd }
  | { type: 'answer'; at: number; question: string; answer: Answer }
  /** The harness's own observation of the world, such as the state of a checkout; null is nothing. */
  | { type: 'seen'; at: number; of: string; text: string | null }
  | { type: 'timer'; at: number; timer: number };

export type TapeEffect =
  | { type: 'moved'; path: string }
  | { type: 'todos'; items: TodoItem[] }
  /** `before` in base64; null when there was no file. */
  | { type: 'kept'; path: string; before: string | null }
  | { type: 'spawned'; spec: Omit<TaskSpec, 'run'> };

/** An input of the run. */
export type TapeStep = Extract<TapeEntry, { at: number }>;

const at = z.number();
const call = z.string();
const typed = z.looseObject({ type: z.string() });
const list = z.array(z.unknown());
const content = z.array(
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.enum(['image', 'document']), source: z.looseObject({}) }),
  ]),
);
const effect = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('moved'), path: z.string() }),
  z.looseObject({ type: z.literal('todos'), items: list }),
  z.looseObject({ type: z.literal('kept'), path: z.string(), before: z.string().nullable() }),
  z.looseObject({ type: z.literal('spawned'), spec: z.looseObject({ kind: z.string() }) }),
]);

export const headerSchema = z.looseObject({
  type: z.literal('cadre-tape'),
  format: z.number(),
  version: z.string(),
  startedAt: z.number(),
  seed: z.string(),
  options: z.record(z.string(), z.unknown()).optional(),
  isRepository: z.boolean().optional(),
});

/** As far as the replay itself relies on it: a tape may be edited by hand. */
export const entrySchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('model'), name: z.string(), id: z.string(), facts: z.looseObject({}) }),
  z.looseObject({ type: z.literal('command'), at, command: typed }),
  z.looseObject({
    type: z.literal('request'),
    request: z.number(),
    agent: z.string().nullable(),
    kept: z.number(),
    messages: list,
    rest: z.looseObject({}).optional(),
  }),
  z.looseObject({ type: z.literal('event'), at, request: z.number(), event: typed }),
  z.looseObject({ type: z.literal('call'), call, name: z.string(), input: z.unknown() }),
  z.looseObject({ type: z.literal('progress'), at, call, progress: z.looseObject({ text: z.string() }) }),
  z.looseObject({ type: z.literal('effect'), at, call, effect }),
  z.looseObject({
    type: z.literal('result'),
    at,
    call,
    result: z.looseObject({ content, isError: z.boolean() }),
  }),
  z.looseObject({ type: z.literal('threw'), at, call, message: z.string() }),
  z.looseObject({
    type: z.literal('task'),
    at,
    task: z.string(),
    end: z.looseObject({ status: z.enum(['completed', 'failed', 'killed']), text: z.string() }),
  }),
  z.looseObject({
    type: z.literal('answer'),
    at,
    question: z.string(),
    answer: z.looseObject({ behaviour: z.string() }),
  }),
  z.looseObject({ type: z.literal('seen'), at, of: z.string(), text: z.string().nullable() }),
  z.looseObject({ type: z.literal('timer'), at, timer: z.number() }),
]);
