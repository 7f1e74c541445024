import { randomBytes } from 'node:crypto';
import { openJsonlWriter } from '../lib/jsonl/jsonl.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { BlockDelta, Model, ModelEvent } from '../protocol/index.ts';
import { openMask } from './mask.ts';
import { Inside, recordedTool } from './record-tool.ts';
import { Recorder } from './recorder.ts';
import { type Reel, type ReelParts, throughJson } from './reel.ts';
import { seededIds } from './seeded-ids.ts';
import { type TapeHeader, tapeFormat } from './tape.ts';

/** Records a run into a new file. The run itself uses the clock and the ids that its replay will have. */
export function recordRun(path: string, parts: ReelParts): Result<Reel> {
  const writer = openJsonlWriter(path, 'create');
  if (!writer.ok) return fail({ ...writer.problem, kind: 'usage' });
  const seed = randomBytes(16).toString('hex');
  const mask = openMask(parts.secrets, parts.places, seed.slice(0, 6), parts.hide);
  const recorder = new Recorder(writer.value, mask, parts.clock);
  const header: TapeHeader = {
    type: 'cadre-tape',
    format: tapeFormat,
    version,
    startedAt: recorder.clock.now(),
    seed,
    options: parts.options ? mask.hideIn(throughJson(parts.options)) : undefined,
    isRepository: parts.isRepository,
  };
  const begun = writer.value.append(header);
  if (!begun.ok) return begun;
  const inside = new Inside();
  return ok({
    clock: recorder.clock,
    ids: seededIds(seed),
    outsideClock: parts.clock,
    isReplay: false,
    openModel(name, make) {
      const made = make();
      if (!made.ok) return made;
      recorder.mark({ type: 'model', name, id: made.value.id, facts: made.value.facts });
      return ok(recordedModel(made.value, recorder, inside));
    },
    wrapTool: (tool) => recordedTool(tool, recorder, inside, parts.clock),
    wrapQuestions: (ask) =>
      ask &&
      (async (question, signal) => {
        const answer = throughJson(await ask(question, signal));
        await recorder.step({ type: 'answer', question: question.id, answer });
        return answer;
      }),
    async look(of, see) {
      const text = await see();
      await recorder.step({ type: 'seen', of, text: text ?? null });
      return text;
    },
    takeCommand(command, act) {
      recorder.note({ type: 'command', command });
      return inside.leave(act);
    },
    early: () => undefined,
    leave: () => {},
    nextPromptId: () => undefined,
    finish: () => recorder.finish(),
  });
}

function recordedModel(model: Model, recorder: Recorder, inside: Inside): Model {
  return {
    id: model.id,
    facts: model.facts,
    async *stream(request, signal) {
      if (inside.isInside) return yield* model.stream(request, signal);
      const number = recorder.request(request);
      for await (const event of keepSecretsWhole(model.stream(request, signal), recorder.mask.secrets)) {
        const plain = throughJson(event);
        await recorder.step({ type: 'event', request: number, event: plain });
        yield plain;
      }
    },
  };
}

/**
 * The same events, in pieces such that no secret is split between two: if a piece ends with the possible beginning of
 * one, that end comes with the next piece. So each piece can be masked on its own.
 */
export async function* keepSecretsWhole(
  events: AsyncIterable<ModelEvent>,
  secrets: readonly string[],
): AsyncGenerator<ModelEvent> {
  if (secrets.length === 0) return yield* events;
  const held = new Map<string, Held>();
  for await (const event of events) {
    if (event.type === 'block_delta') {
      const delta = releaseDelta(event.index, event.delta, held, secrets);
      if (delta) yield { ...event, delta };
      continue;
    }
    if (endsBlocks(event)) {
      for (const { index, delta } of held.values()) yield { type: 'block_delta', index, delta };
      held.clear();
    }
    yield event;
  }
}

interface Held {
  index: number;
  delta: BlockDelta;
}

function endsBlocks({ type }: ModelEvent): boolean {
  return type === 'block_ended' || type === 'response_ended' || type === 'response_failed';
}

/** The part of a piece that can be passed on, together with what was held back before it. */
function releaseDelta(
  index: number,
  delta: BlockDelta,
  held: Map<string, Held>,
  secrets: readonly string[],
): BlockDelta | undefined {
  const key = `${index} ${delta.type}`;
  const before = held.get(key);
  const text = (before ? readDeltaText(before.delta) : '') + readDeltaText(delta);
  const end = lastSafePlace(text, secrets);
  if (end < text.length) held.set(key, { index, delta: withText(delta, text.slice(end)) });
  else held.delete(key);
  return end > 0 || text === '' ? withText(delta, text.slice(0, end)) : undefined;
}

/** Before the longest end of the text that begins a secret, and before a secret that this would cut. */
function lastSafePlace(text: string, secrets: readonly string[]): number {
  const longest = Math.max(...secrets.map((secret) => secret.length)) - 1;
  let place = Math.max(0, text.length - longest);
  while (place < text.length && !secrets.some((secret) => secret.startsWith(text.slice(place)))) place++;
  for (const secret of secrets) {
    const start = text.lastIndexOf(secret, place - 1);
    if (start >= 0 && start < place && start + secret.length > place) place = start;
  }
  return place;
}

function readDeltaText(delta: BlockDelta): string {
  if (delta.type === 'text') return delta.text;
  if (delta.type === 'thinking') return delta.thinking;
  return delta.type === 'signature' ? delta.signature : delta.json;
}

function withText(delta: BlockDelta, text: string): BlockDelta {
  if (delta.type === 'text') return { type: 'text', text };
  if (delta.type === 'thinking') return { type: 'thinking', thinking: text };
  return delta.type === 'signature'
    ? { type: 'signature', signature: text }
    : { type: 'tool_input', json: text };
}
