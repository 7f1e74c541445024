import type {
  AssistantBlock,
  AssistantMessage,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
} from '../protocol/index.ts';
import { answerMessage, pieces } from './answers.ts';
import { openScript, type ScriptedTurn } from './script.ts';
import type { Turn, TurnMaker } from './turns.ts';

export interface ScriptedModelOptions {
  /** By default `scripted/model`. */
  id?: string;
  facts?: Partial<ModelFacts>;
}

/** A model without a provider: it answers from a script, and records its requests. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
  readonly complaints: readonly string[];
  /** Throws, listing steps never requested and every complaint. */
  assertConsumed(): void;
}

export function scriptedModel(
  turns: readonly Turn[] | TurnMaker,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const id = options.id ?? 'scripted/model';
  const script = openScript(turns, id);
  const requests: ModelRequest[] = [];
  return {
    id,
    facts: { ...scriptedFacts, ...options.facts },
    requests,
    complaints: script.complaints,
    assertConsumed: () => script.assertConsumed(),
    async *stream(request, signal) {
      if (signal.aborted) return yield aborted;
      // The messages array belongs to the caller and grows; the record keeps a copy.
      requests.push({ ...request, messages: [...request.messages] });
      const step = script.taken + 1;
      const turn = await unlessAborted(script.take(request), signal);
      if (!turn) return yield aborted;
      yield* untilAborted(playTurn(turn, request, id, step), signal);
    },
  };
}

const scriptedFacts: ModelFacts = {
  window: 200_000,
  maxOutput: 64_000,
  images: true,
  thinking: ['off', 'adaptive', 'budget'],
  known: true,
};

const aborted: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'aborted', message: 'The request was aborted.' },
};

const silent = Symbol('stays silent until the signal fires');

function* playTurn(
  turn: ScriptedTurn,
  request: ModelRequest,
  model: string,
  step: number,
): Generator<ModelEvent | typeof silent> {
  if ('failure' in turn) return yield { type: 'response_failed', failure: turn.failure };
  if ('raw' in turn) return yield unusable;
  const message = answerMessage(turn, request, model, step);
  yield { type: 'response_started', id: message.id, model };
  if (turn.fault) return yield* breakOff(message);
  yield* playBlocks(message);
  if (turn.hang) return yield silent;
  yield { type: 'response_ended', message };
}

const unusable: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'malformed', message: 'The scripted model has no wire for a raw answer.' },
};

/** A fault of the wire, as far as possible without one: the first block never ends. */
function* breakOff(message: AssistantMessage): Generator<ModelEvent> {
  const first = [...playBlocks({ ...message, content: message.content.slice(0, 1) })];
  yield* first.slice(0, -1);
  const failure = { kind: 'network' as const, message: 'The scripted connection broke.' };
  yield { type: 'response_failed', failure, usage: { ...message.usage, output_tokens: 1 } };
}

function* playBlocks(message: AssistantMessage): Generator<ModelEvent> {
  for (const [index, block] of message.content.entries()) {
    yield { type: 'block_started', index, block: emptied(block) };
    yield* playDeltas(block, index);
    yield { type: 'block_ended', index, block };
  }
}

function* playDeltas(block: AssistantBlock, index: number): Generator<ModelEvent> {
  const delta = 'block_delta' as const;
  if (block.type === 'text') {
    for (const text of pieces(block.text)) yield { type: delta, index, delta: { type: 'text', text } };
  } else if (block.type === 'thinking') {
    for (const thinking of pieces(block.thinking))
      yield { type: delta, index, delta: { type: 'thinking', thinking } };
    if (block.signature)
      yield { type: delta, index, delta: { type: 'signature', signature: block.signature } };
  } else if (block.type === 'tool_use') {
    for (const json of pieces(JSON.stringify(block.input))) {
      yield { type: delta, index, delta: { type: 'tool_input', json } };
    }
  }
}

function emptied(block: AssistantBlock): AssistantBlock {
  if (block.type === 'text') return { type: 'text', text: '' };
  if (block.type === 'thinking') return { type: 'thinking', thinking: '' };
  if (block.type === 'tool_use') return { ...block, input: {} };
  return block;
}

async function* untilAborted(
  events: Iterable<ModelEvent | typeof silent>,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (const event of events) {
    if (event === silent) await unlessAborted(new Promise<never>(() => {}), signal);
    if (signal.aborted || event === silent) return yield aborted;
    yield event;
  }
}

/** Undefined if the signal fires first. A rejected promise is a bug in the script and is thrown. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
