import { randomBytes } from 'node:crypto';
import { openJsonlWriter } from '../lib/jsonl/jsonl.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import type { Model } from '../protocol/index.ts';
import { openMask } from './mask.ts';
import { Inside, recordedTool } from './record-tool.ts';
import { Recorder } from './recorder.ts';
import { type Reel, type ReelParts, throughJson } from './reel.ts';
import { seededChance, seededIds } from './seeded-ids.ts';
import { type TapeHeader, tapeFormat } from './tape.ts';
import { keepSecretsWhole } from './whole-secrets.ts';

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
    random: seededChance(seed),
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
