import { randomUUID } from 'node:crypto';
import { setStage } from '../../src/commands/demo/stage.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { AgentEvent, Model, ModelRequest } from '../../src/protocol/index.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { call, say, scriptedModel } from '../../src/testing/index.ts';
import { environmentOf, type Place } from '../cli/support.ts';

/** Where a tape was recorded and what was said first: it is played in the same directory. */
export interface Recorded {
  repository: string;
  prompt: string;
  sessionId: string;
}

export const message = 'Say which unit fails first.';

/**
 * The demo's story on a tape, with a person in it who answers everything, writes to one agent and stops another. What
 * they do comes at one place of the story, because everybody else waits there.
 */
export async function recordDemo(directory: string, place: Place, tape: string): Promise<Recorded> {
  const stage = await setStage(directory, environmentOf({ place }));
  if (!stage.ok) throw new Error(stage.problem.message);
  const { repository, prompt, options, model } = stage.value;
  const acted = Promise.withResolvers<void>();
  const heard = Promise.withResolvers<void>();
  const fixed = Promise.withResolvers<void>();
  const atRest = Promise.withResolvers<void>();
  const held = holding(model, async (who, count, ofWorkers) => {
    if (ofWorkers === 10) atRest.resolve();
    if (who === '' && count === 3) await acted.promise;
    // What the lead says to the end of one is said before the next report.
    if (who === '' && count === 4) heard.resolve();
    if (who.includes('exact lines') && count === 3) await heard.promise;
    // One writer behind the other.
    if (who.includes('a fix that lands') && count === 5) fixed.resolve();
    if (who.includes('a new unit that lands') && count === 1) await fixed.promise;
  });
  const sessionId = await record({ ...options, model: held }, tape, async (session, seen) => {
    session.send({ type: 'prompt', content: prompt, uuid: randomUUID() });
    await atRest.promise;
    const readsOn = await seen(isPieceEnd);
    await session.messageAgent(taskOf(session, 'Run the tests'), message);
    session.send({ type: 'stop_task', taskId: readsOn.agentId ?? '' });
    await seen(({ type, agentId }) => type === 'run_ended' && agentId === readsOn.agentId);
    acted.resolve();
    await seen((event) => saysOfLead(event, 'its owner fixed it.'));
    await session.settled();
    session.send({ type: 'prompt', content: 'What now?', uuid: randomUUID() });
    await seen((event) => saysOfLead(event, 'The demo ends here'));
  });
  return { repository, prompt, sessionId };
}

/** A lead that waits for an agent, until the person lets it go on without: a coordinator waits for none. */
export async function recordBackground(repository: string, place: Place, tape: string): Promise<Recorded> {
  const prompt = 'Let somebody look at the formula.';
  const task = 'Report the formula.';
  const moved = Promise.withResolvers<void>();
  const model = scriptedModel(async ({ messages, asker }) => {
    if (asker?.agentId != null) {
      await moved.promise;
      return say('It multiplies before it subtracts.');
    }
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (turn > 1) return say('So that is the mistake.');
    if (turn === 1) return say('I go on; it reports when it is done.');
    return call('Agent', { subagent_type: 'Explore', description: 'Find the formula', prompt: task });
  });
  const options = { cwd: repository, environment: environmentOf({ place }), model, settingSources: [] };
  const sessionId = await record({ ...options, sandbox: false }, tape, async (session, seen) => {
    session.send({ type: 'prompt', content: prompt, uuid: randomUUID() });
    await seen(({ type, agentId }) => type === 'turn_started' && agentId !== null);
    session.send({ type: 'background_tasks' });
    await seen((event) => saysOfLead(event, 'I go on'));
    await session.settled();
    moved.resolve();
    await seen((event) => saysOfLead(event, 'the mistake'));
  });
  return { repository, prompt, sessionId };
}

type Seen = (fits: (event: AgentEvent) => boolean) => Promise<AgentEvent>;

/** As the terminal app opens it, with a clock that stands. Every question is answered with yes. */
async function record(
  options: SessionOptions,
  tape: string,
  drive: (session: Session, seen: Seen) => Promise<void>,
): Promise<string> {
  const clock = { ...systemClock, now: () => Date.UTC(2026, 0, 2, 15, 4), monotonic: () => 0 };
  const attended = { attended: true, interactive: true, streamAgents: true };
  const opened = await openSession({ ...options, ...attended, clock, record: tape });
  if (!opened.ok) throw new Error(opened.problem.message);
  const session = opened.value;
  const past: AgentEvent[] = [];
  const watching = new Set<() => void>();
  void (async () => {
    for await (const event of session.events()) {
      past.push(event);
      if (event.type === 'question_asked')
        session.send({
          type: 'answer',
          questionId: event.question.id,
          answer: { behaviour: 'allow', scope: 'once' },
          by: 'person',
        });
      for (const look of [...watching]) look();
    }
  })();
  await drive(session, async (fits) => {
    const found = Promise.withResolvers<AgentEvent>();
    const look = () => {
      const event = past.findLast(fits);
      if (event) found.resolve(event);
    };
    watching.add(look);
    look();
    const event = await found.promise;
    watching.delete(look);
    return event;
  });
  await session.settled();
  const closed = await session.close();
  if (!closed.ok) throw new Error(closed.problem.message);
  return session.id;
}

/** The model, asked only when `before` lets it; `who` is the first line of an agent's prompt, empty for the lead. */
function holding(
  model: Model,
  before: (who: string, count: number, ofWorkers: number) => Promise<void>,
): Model {
  const asked = new Map<string, number>();
  let ofWorkers = 0;
  return {
    ...{ id: model.id, facts: model.facts },
    async *stream(request: ModelRequest, signal: AbortSignal) {
      const [first] = request.messages[0]?.content ?? [];
      const isAgent = request.asker?.agentId != null && first?.type === 'text';
      const who = isAgent ? (first.text.split('\n')[0] ?? '') : '';
      const count = (asked.get(who) ?? 0) + 1;
      asked.set(who, count);
      if (isAgent) ofWorkers++;
      await before(who, count, ofWorkers);
      yield* model.stream(request, signal);
    },
  };
}

/** The agent that reads on says so, and then nothing more. */
function isPieceEnd(event: AgentEvent): boolean {
  if (event.type !== 'model_streamed' || event.event.type !== 'block_ended') return false;
  const { block } = event.event;
  return block.type === 'text' && block.text.endsWith('still reading.');
}

function saysOfLead(event: AgentEvent, words: string): boolean {
  return (
    event.agentId === null &&
    event.type === 'message_added' &&
    event.record.type === 'assistant' &&
    JSON.stringify(event.record.message.content).includes(words)
  );
}

function taskOf(session: Session, description: string): string {
  return session.tasks().find((task) => task.description === description)?.id ?? '';
}
