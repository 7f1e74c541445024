import { failure, ok, type Result, usage } from '../lib/result.ts';
import type { Command, Model, ModelEvent, ModelRequest } from '../protocol/index.ts';
import { type AskedRequest, askedWriter, isSameAsked, parseAsked, restoreAsked } from './asked.ts';
import { excerpt, firstDifference, renderDivergence } from './divergence.ts';
import { type Mask, openMask } from './mask.ts';
import { Player } from './player.ts';
import { readTape } from './read-tape.ts';
import { type Reel, type ReelParts, throughJson } from './reel.ts';
import { replayedTool } from './replay-tool.ts';
import { seededIds } from './seeded-ids.ts';
import { agentName, describeStep } from './step-names.ts';

const defaultPatienceMs = 10_000;

/** A reel that plays; its commands can be given to the session all at once: each waits for its place. */
export interface Replay extends Reel {
  readonly commands: readonly Command[];
  /** Whether the recorded run was in a git repository; undefined on an older tape. */
  readonly wasInRepository: boolean | undefined;
}

export interface ReplayWishes {
  patienceMs?: number;
  /** A person gives the commands: the replay waits for each of them without limit. */
  byHand?: boolean;
}

/** Replays a recorded run: same requests, same answers, same times, same ids, up to the first difference. */
export async function replayRun(path: string, parts: ReelParts & ReplayWishes): Promise<Result<Replay>> {
  const tape = await readTape(path);
  if (!tape.ok) return tape;
  const { seed } = tape.value.header;
  const mask = openMask(parts.secrets, parts.places, seed.slice(0, 6), parts.hide);
  const { clock: outsideClock, patienceMs = defaultPatienceMs, byHand = false } = parts;
  const player = new Player(tape.value, { mask, outsideClock, patienceMs, byHand });
  const commands = player.lines.flatMap(({ entry }) => (entry.type === 'command' ? [entry.command] : []));
  const compare = requestReader(player, mask);
  const plain = <T>(value: T): T => throughJson(mask.hideIn(value));
  const hasAnswers = player.lines.some(({ entry }) => entry.type === 'answer');
  return ok({
    clock: player.clock,
    ids: seededIds(seed),
    outsideClock: parts.clock,
    isReplay: true,
    commands,
    wasInRepository: tape.value.header.isRepository,
    openModel(name) {
      const found = player.lines.find(({ entry }) => entry.type === 'model' && entry.name === name)?.entry;
      if (found?.type === 'model') return ok(replayedModel(found, player, compare));
      return usage(`${path} has no model "${name}": the recorded run did not use it.`);
    },
    wrapTool: (tool) => replayedTool(tool, player, plain),
    wrapQuestions: (ask) =>
      hasAnswers
        ? async (question, signal) => {
            const step = await player.wait(`the answer to question ${question.id}`, signal);
            if (step?.type === 'answer') return step.answer;
            return { behaviour: 'deny', message: player.message ?? 'The replay ended.' };
          }
        : ask,
    async look(of) {
      const isOnTape = player.lines.some(({ entry }) => entry.type === 'seen' && entry.of === of);
      const step = isOnTape && (await player.wait(of, new AbortController().signal));
      return step && step.type === 'seen' ? (step.text ?? undefined) : undefined;
    },
    takeCommand: (command, act) => takeCommand(player, plain(command), act),
    early: () => player.early(),
    leave: () => player.leave(),
    nextPromptId() {
      const next = player.find(({ type }) => type === 'command')?.entry;
      return next?.type === 'command' && next.command.type === 'prompt' ? next.command.uuid : undefined;
    },
    finish() {
      const rest = player.rest();
      player.finish();
      if (player.message) return failure(player.message);
      if (!rest) return ok(undefined);
      const recorded = describeStep(rest.entry);
      const sides = { line: rest.line, where: 'where the run ended', recorded, now: 'the end of the run' };
      return failure(renderDivergence(path, sides));
    },
  });
}

/** Compares a request with the next one of its agent on the tape; returns its number, or the difference in words. */
function requestReader(player: Player, mask: Mask): (request: ModelRequest) => number | string {
  const write = askedWriter(mask);
  const before = new Map<string | null, AskedRequest>();
  return (request) => {
    if (player.message) return player.message;
    const agent = request.asker?.agentId ?? null;
    const now = write(request);
    const found = player.claim((entry) => entry.type === 'request' && entry.agent === agent);
    if (found?.entry.type !== 'request') {
      const where = `a request of ${agentName(agent)}`;
      const line = (player.lines.at(-1)?.line ?? 1) + 1;
      const shown = excerpt(now.messages.at(-1) ?? '');
      return player.diverge({ line, where, recorded: 'no further request', now: shown });
    }
    const recorded = restoreAsked(found.entry, before.get(agent));
    before.set(agent, recorded);
    if (isSameAsked(recorded, now)) return found.entry.request;
    const { where, ...sides } = firstDifference(parseAsked(recorded), parseAsked(now));
    return player.diverge({ line: found.line, where: `${describeStep(found.entry)}, ${where}`, ...sides });
  };
}

function replayedModel(
  { id, facts }: Pick<Model, 'id' | 'facts'>,
  player: Player,
  compare: (request: ModelRequest) => number | string,
): Model {
  const failed = (message: string): ModelEvent => ({
    type: 'response_failed',
    failure: { kind: 'diverged', message },
  });
  return {
    id,
    facts,
    async *stream(request, signal) {
      const number = compare(request);
      if (typeof number === 'string') return yield failed(number);
      for (;;) {
        const step = await player.wait(`the answer to request ${number}`, signal);
        if (step?.type !== 'event') return yield player.message ? failed(player.message) : aborted;
        yield step.event;
        if (step.event.type === 'response_ended' || step.event.type === 'response_failed') return;
      }
    },
  };
}

const aborted: ModelEvent = {
  type: 'response_failed',
  failure: { kind: 'aborted', message: 'The replay was stopped.' },
};

/** Commands come in the order of the tape; one that comes too early waits. */
function takeCommand(player: Player, command: Command, act: () => Result<void>): Result<void> {
  if (player.message) return failure(player.message);
  const found = player.claim((entry) => entry.type === 'command');
  if (found?.entry.type !== 'command') {
    const line = (player.lines.at(-1)?.line ?? 1) + 1;
    const now = excerpt(JSON.stringify(command));
    return failure(player.diverge({ line, where: 'a command', recorded: 'no further command', now }));
  }
  if (JSON.stringify(found.entry.command) !== JSON.stringify(command)) {
    const { where, ...sides } = firstDifference(found.entry.command, command);
    return failure(player.diverge({ line: found.line, where: `the command, ${where}`, ...sides }));
  }
  if (player.takeNow(found)) return act();
  player.queue(found, act);
  return ok(undefined);
}
