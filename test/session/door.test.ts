import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectSession, type DoorClient, type DoorWish } from '../../src/door/door-client.ts';
import { findSocket } from '../../src/door/socket-place.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { call, hang, say } from '../../src/testing/index.ts';
import { collect } from '../door/ground.ts';
import { until } from '../support/index.ts';
import { open, type Place, place } from './support.ts';

function work(): Place {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  return at;
}

function connect(home: string, sessionId: string, wish: Partial<DoorWish> = {}) {
  return connectSession(
    { home, sessionId, pid: process.pid },
    { client: 'test', clock: systemClock, patienceMs: 30_000, ...wish },
  );
}

/** Through the real socket of a session; fails the test when it cannot. */
async function enter(home: string, sessionId: string, wish: Partial<DoorWish> = {}): Promise<DoorClient> {
  const connected = await connect(home, sessionId, wish);
  if (!connected.ok) throw new Error(connected.problem.message);
  return connected.value;
}

test('SE4 a client prompts a live session and hears its events', async () => {
  const at = work();
  const { session } = await open(at, [say('Hello.')]);
  const client = await enter(at.home, session.id, { events: 'all' });
  expect(client.welcome).toMatchObject({
    ...{ sessionId: session.id, state: 'idle', cwd: at.cwd, resumed: false, pid: process.pid },
    ...{ tasks: [], questions: [], transcript: session.info().transcriptPath },
  });
  const events = collect(client);
  expect(await client.send({ type: 'prompt', content: 'Hi' })).toMatchObject({ ok: true });
  await until(() => events.at(-1)?.type === 'state_changed' && events.length > 5);
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === 'message_added')).toHaveLength(2);
  expect(types).toContain('model_streamed');
  expect(types).toContain('run_ended');
  await session.close();
  expect(await client.ended).toEqual({ kind: 'closed' });
});

test('SE4 a question goes up through the door, and the answer comes down as the user', async () => {
  const at = work();
  const { session, prompt } = await open(at, [call('Bash', { command: 'touch made' }), say('Done.')], {
    attended: true,
  });
  const run = prompt('Go.');
  await until(() => session.approvals.waiting().length === 1);
  const client = await enter(at.home, session.id);
  const [question] = client.welcome.questions;
  expect(question).toMatchObject({ toolName: 'Bash', asker: { type: 'lead' } });
  const questionId = question?.id ?? '';
  const taken = await client.send({
    type: 'answer',
    questionId,
    answer: { behaviour: 'allow' },
    by: 'judge',
  });
  expect(taken.ok).toBe(true);
  expect(await run).toMatchObject({ kind: 'completed' });
  expect(existsSync(join(at.cwd, 'made'))).toBe(true);
  const again = await client.send({ type: 'answer', questionId, answer: { behaviour: 'allow' } });
  expect(again).toMatchObject({ ok: false, problem: { message: `No question ${questionId} is waiting.` } });
  await session.close();
  const [month = ''] = readdirSync(join(at.home, 'audit'));
  const audit = await Bun.file(join(at.home, 'audit', month)).text();
  expect(audit).toContain('"by":"person"');
  expect(audit).not.toContain('"by":"judge"');
});

test('SE4 the socket is private, and gone when the session is closed', async () => {
  const at = work();
  const { session } = await open(at, []);
  const socket = findSocket({ home: at.home, sessionId: session.id, pid: process.pid });
  expect(statSync(socket).isSocket()).toBe(true);
  expect((statSync(socket).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(join(at.home, 'sockets')).mode & 0o777).toString(8)).toBe('700');
  await session.close();
  expect(readdirSync(join(at.home, 'sockets'))).toEqual([]);
  expect(await connect(at.home, session.id)).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining(socket) },
  });
});

test('SE4 each of two sessions has a door of its own', async () => {
  const at = work();
  const one = await open(at, [say('One.')]);
  const two = await open(at, [say('Two.')]);
  const clients = await Promise.all([one, two].map(({ session }) => enter(at.home, session.id)));
  expect(clients.map(({ welcome }) => welcome.sessionId)).toEqual([one.session.id, two.session.id]);
  await clients[1]?.send({ type: 'prompt', content: 'Hi' });
  expect(await two.runs(1)).toMatchObject([{ text: 'Two.' }]);
  expect(one.events).toEqual([]);
  await one.session.close();
  expect(await clients[0]?.ended).toEqual({ kind: 'closed' });
  expect(await clients[1]?.send({ type: 'interrupt' })).toMatchObject({ ok: true });
  await two.session.close();
});

test('a stop names the run: one that has ended is refused, and the next run of the agent keeps running', async () => {
  const at = work();
  const { session } = await open(at, [hang(say('Busy'))]);
  const spawned = await session.spawn({ kind: 'local_bash', command: 'sleep 300' });
  if (!spawned.ok) throw new Error(spawned.problem.message);
  const client = await enter(at.home, session.id, { events: ['task_changed'] });
  const [task] = client.welcome.tasks;
  const taskId = task?.id ?? '';
  const wrong = await client.send({ type: 'stop_task', taskId, runId: 'another' });
  expect(wrong).toMatchObject({
    ok: false,
    problem: { message: `Run another of task ${taskId} has ended.` },
  });
  expect(session.task(taskId)?.status).toBe('running');
  const events = collect(client);
  await client.send({ type: 'stop_task', taskId, runId: task?.runId ?? '' });
  await until(() => events.some((event) => event.type === 'task_changed' && event.task.status === 'killed'));
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['task_changed']));
  await session.close();
});

test('a session without persistence has a door; one whose door cannot be opened works without it', async () => {
  const at = work();
  const unkept = await open(at, [], { persist: false });
  const client = await enter(at.home, unkept.session.id);
  expect(client.welcome.transcript).toBeNull();
  await unkept.session.close();

  const other = work();
  mkdirSync(other.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(other.home, 'sockets'), 'in the way');
  const { session, prompt, events } = await open(other, [say('Hello.')]);
  expect(await prompt('Hi')).toMatchObject({ text: 'Hello.' });
  await session.close();
  const notices = events.filter((event) => event.type === 'notice_given');
  expect(notices.filter(({ level }) => level !== 'debug')).toEqual([]);
});

test('a home whose path is too long for a socket has a door too', async () => {
  const at = work();
  const home = join(at.home, 'h'.repeat(120));
  const { session } = await open({ ...at, home, environment: { ...at.environment, CADRE_HOME: home } }, []);
  const client = await enter(home, session.id);
  expect(client.welcome.sessionId).toBe(session.id);
  await session.close();
});
