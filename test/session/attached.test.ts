import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.ts';
import type { AgentEvent } from '../../src/protocol/index.ts';
import { attachLive } from '../../src/session/attached/attach-live.ts';
import type { AttachedSession } from '../../src/session/attached/attached-session.ts';
import { listLive, pickLive } from '../../src/session/attached/find-live.ts';
import { createLayout } from '../../src/store/layout.ts';
import { call, hang, say } from '../../src/testing/index.ts';
import { until } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

function work(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

async function attach(at: Place, id: string): Promise<AttachedSession> {
  const attached = await attachLive({ home: at.home, clock: systemClock }, id, {});
  if (!attached.ok) throw new Error(attached.problem.message);
  return attached.value;
}

function collect(session: AttachedSession): AgentEvent[] {
  const seen: AgentEvent[] = [];
  void (async () => {
    for await (const event of session.events()) seen.push(event);
  })();
  return seen;
}

const said = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'message_added' ? [event.record.uuid] : []));

test('SE4 RM4 an attached session says what is true now, then what happens, each message once', async () => {
  const at = work();
  const { session, prompt } = await open(at, [say('One.'), say('Two.')]);
  await prompt('First');
  const attached = await attach(at, session.id);
  const seen = collect(attached);
  attached.send({ type: 'prompt', content: 'Second' });
  await until(() => seen.some(({ type }) => type === 'run_ended'));
  expect(said(seen)).toHaveLength(2);
  expect(new Set(said(seen)).size).toBe(2);
  expect(attached.info()).toMatchObject({ id: session.id, cwd: at.cwd, model: session.info().model });
  expect(attached.cost()).toEqual(session.cost());
  await attached.close();
  await session.close();
});

test('RM4 to leave an attached session stops nothing, and several can be attached', async () => {
  const at = work();
  const { session } = await open(at, [hang()]);
  session.send({ type: 'prompt', content: 'Go' });
  const [one, two] = [await attach(at, session.id), await attach(at, session.id)];
  const [seen, other] = [collect(one), collect(two)];
  await until(() => seen.some(({ type }) => type === 'run_started'));
  await one.close();
  expect(await one.ended).toEqual({ kind: 'lost' });
  expect(other.some(({ type }) => type === 'run_ended')).toBe(false);
  two.send({ type: 'interrupt' });
  await until(() => other.some(({ type }) => type === 'run_ended'));
  await session.close();
  expect(await two.ended).toEqual({ kind: 'closed' });
});

test('RM4 a question that waits is among what an attached session says first, and is answered there', async () => {
  const at = work();
  const { session, prompt } = await open(at, [call('Bash', { command: 'touch made' }), say('Done.')], {
    attended: true,
  });
  const run = prompt('Go.');
  await until(() => session.approvals.waiting().length === 1);
  const attached = await attach(at, session.id);
  const seen = collect(attached);
  await until(() => seen.some(({ type }) => type === 'question_asked'));
  const asked = seen.find((event) => event.type === 'question_asked');
  if (asked?.type !== 'question_asked') throw new Error('no question');
  attached.send({
    type: 'answer',
    questionId: asked.question.id,
    answer: { behaviour: 'allow', scope: 'once' },
  });
  expect(await run).toMatchObject({ kind: 'completed' });
  await attached.close();
  await session.close();
});

test('RM4 a refused command of an attached session comes back as a notice', async () => {
  const at = work();
  const { session } = await open(at, []);
  const attached = await attach(at, session.id);
  const seen = collect(attached);
  attached.send({ type: 'stop_task', taskId: 'none' });
  await until(() => seen.some(({ type }) => type === 'notice_given'));
  expect(seen.find(({ type }) => type === 'notice_given')).toMatchObject({
    text: expect.stringContaining('No task has the id'),
  });
  await attached.close();
  await session.close();
});

test('RM4 live sessions are found by the beginning of their id, or by their title', async () => {
  const at = work();
  const { session, prompt } = await open(at, [say('One.')], { title: 'Fix the build' });
  await prompt('First');
  const live = await listLive(createLayout(at.home));
  expect(live.map(({ id }) => id)).toEqual([session.id]);
  for (const word of [session.id, session.id.slice(0, 6), 'fix the build'])
    expect(pickLive(live, word)).toMatchObject({ ok: true, value: { id: session.id } });
  expect(pickLive(live, 'something else')).toEqual({ ok: true, value: undefined });
  await session.close();
  expect(await listLive(createLayout(at.home))).toEqual([]);
});
