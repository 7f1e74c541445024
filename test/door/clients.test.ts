import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connectDoor } from '../../src/door/door-client.ts';
import { EventLog } from '../../src/door/event-log.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Accept, LocalConnection, SocketPeer } from '../../src/lib/local-socket/connection.ts';
import { connectInMemory } from '../../src/lib/local-socket/memory-connection.ts';
import { ok } from '../../src/lib/result.ts';
import type { AgentEvent, MessageRecord } from '../../src/protocol/index.ts';
import { until } from '../support/index.ts';
import { bareDoor, collect, hello, socketClient } from './ground.ts';

const lead = { agentId: null, parentToolUseId: null };

function notice(text: string): AgentEvent {
  return { ...lead, type: 'notice_given', level: 'info', text };
}

function piece(text: string): AgentEvent {
  return { ...lead, type: 'tool_progressed', toolUseId: text, toolName: 'Bash', progress: { text } };
}

function texts(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice_given' ? [event.text] : []));
}

test('SE4 a client that comes back names the last cursor it saw, and gets what it missed', async () => {
  const { events, connect } = bareDoor();
  const first = await connect({ events: 'all' });
  if (!first.ok) throw new Error(first.problem.message);
  const seen = collect(first.value);
  events.publish(notice('one'));
  await until(() => seen.length === 1);
  const { cursor } = first.value;
  first.value.close();
  await first.value.ended;
  for (const text of ['two', 'three']) events.publish(notice(text));
  const second = await connect({ events: 'all', since: cursor });
  if (!second.ok) throw new Error(second.problem.message);
  expect(second.value.welcome.resumed).toBe(true);
  const missed = collect(second.value);
  events.publish(notice('four'));
  await until(() => missed.length === 3);
  expect(texts(missed)).toEqual(['two', 'three', 'four']);
});

test('SE4 a cursor of another process, or one that is no cursor, means to start again', async () => {
  const { events, connect } = bareDoor();
  await connect({ events: 'all' });
  events.publish(notice('before'));
  for (const since of ['other:1', 'nonsense', '', ':', `${'9'.repeat(30)}`]) {
    const client = await connect({ events: 'all', since });
    if (!client.ok) throw new Error(client.problem.message);
    expect(client.value.welcome.resumed).toBe(false);
    const seen = collect(client.value);
    events.publish(notice(since));
    await until(() => seen.length > 0);
    expect(texts(seen)).toEqual([since]);
  }
});

test('the log keeps the newest events within its bound, and no cursor of an older one leads anywhere', () => {
  const log = new EventLog('a', 1_000);
  const start = log.cursor;
  expect(log.find(start)).toBe(1);
  for (let count = 0; count < 20; count++) log.add(notice('x'.repeat(100)));
  expect(log.find(start)).toBeUndefined();
  expect(log.read(1)).toBeUndefined();
  expect(log.find(log.cursor)).toBe(21);
  expect(log.find('a:21')).toBeUndefined();
  expect(log.read(20)?.type).toBe('notice_given');
  log.add(notice('x'.repeat(5_000)));
  expect(log.read(21)).toBeDefined();
  expect(log.read(20)).toBeUndefined();
});

test('nothing is kept before the first client comes', async () => {
  const { events, connect } = bareDoor();
  events.publish(notice('early'));
  const client = await connect({ events: 'all' });
  expect(client.ok && client.value.welcome.cursor).toEndWith(':0');
});

for (const way of ['in memory', 'through a socket'])
  test(`SE4 a client that reads too slowly ${way} is sent away; the session and other clients are not held up`, async () => {
    const { door, events, connect, raw, commands } = bareDoor();
    const slow = way === 'in memory' ? raw() : await socketClient(door);
    slow.write(hello);
    await slow.heard(1);
    slow.connection?.pause();
    const quick = await connect({ events: 'all' });
    if (!quick.ok) throw new Error(quick.problem.message);
    const seen = collect(quick.value);
    const large = 'x'.repeat(100_000);
    for (let count = 1; count <= 200; count++) {
      events.publish(notice(large));
      await until(() => seen.length === count);
    }
    slow.write({ type: 'command', id: '1', command: { type: 'interrupt' } });
    slow.connection?.resume();
    await until(() => slow.isClosed);
    expect(slow.frames.at(-1)).toMatchObject({ type: 'error', kind: 'behind' });
    expect(slow.frames.length).toBeLessThan(100);
    // It was not read while there was no room for the reply.
    expect(commands).toEqual([]);
  });

test('pieces are dropped for a client that is behind, and come again once it has caught up', async () => {
  const { events, raw } = bareDoor();
  const client = raw();
  client.write(hello);
  await client.heard(1);
  client.connection?.pause();
  events.publish(notice('x'.repeat(200_000)));
  for (let count = 0; count < 50; count++) events.publish(piece('lost'));
  events.publish(notice('kept'));
  client.connection?.resume();
  await client.heard(3);
  events.publish(piece('after'));
  const frames = await client.heard(4);
  expect(JSON.stringify(frames)).not.toContain('lost');
  expect(frames.slice(2)).toMatchObject([
    { type: 'event', cursor: expect.any(String), event: { text: 'kept' } },
    { type: 'event', event: { toolUseId: 'after' } },
  ]);
  expect(frames[3]).not.toHaveProperty('cursor');
});

test('events before the hello are not for the client, and do not send it away', async () => {
  const { events, raw } = bareDoor();
  const client = raw();
  events.publish(notice('early'));
  events.publish(piece('early'));
  client.write(hello);
  await client.heard(1);
  events.publish(notice('late'));
  expect(await client.heard(2)).toMatchObject([{ type: 'welcome' }, { event: { text: 'late' } }]);
});

test('a client gets the kinds of events it asked for; one that asked for none is never behind', async () => {
  const { events, connect } = bareDoor();
  const [some, none] = [await connect({ events: ['notice_given'] }), await connect()];
  if (!some.ok || !none.ok) throw new Error('refused');
  const seen = collect(some.value);
  for (let count = 1; count <= 100; count++) {
    events.publish({ ...lead, type: 'turn_started', turn: count });
    events.publish(piece('unwanted'));
    events.publish(notice('x'.repeat(200_000)));
    await until(() => seen.length === count);
  }
  expect(new Set(seen.map(({ type }) => type))).toEqual(new Set(['notice_given']));
  expect((await none.value.send({ type: 'interrupt' })).ok).toBe(true);
});

test('SE4 another user, and a program that the session started, are told why they are refused', async () => {
  const { door } = bareDoor();
  const visit = async (peer: SocketPeer) => {
    const accept = (connection: LocalConnection) =>
      door.accept(Object.assign(connection, { readPeer: () => peer }));
    const near = async (own: Accept) => ok(connectInMemory(own, accept));
    return connectDoor(near, { client: 'test', clock: systemClock, patienceMs: 30_000 });
  };
  const uid = process.getuid?.() ?? 0;
  const start = (owner: string) =>
    Bun.spawn(['sleep', '600'], { env: { CADRE_OWNER: owner }, stdio: ['ignore', 'ignore', 'ignore'] });
  const [ours, others] = [start('session/command'), start('another')];
  // It is a copy of this process until it runs its program.
  if (process.platform === 'linux')
    await until(() =>
      [ours, others].every(({ pid }) =>
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes('CADRE_OWNER='),
      ),
    );
  expect(await visit({ pid: others.pid, uid: uid + 1 })).toMatchObject({
    problem: { message: 'This session belongs to another user.' },
  });
  expect((await visit({ pid: others.pid, uid })).ok).toBe(true);
  if (process.platform === 'linux')
    expect(await visit({ pid: ours.pid, uid })).toMatchObject({
      problem: { message: expect.stringContaining('A program that this session started') },
    });
  for (const child of [ours, others]) child.kill();
});

test('data of a tool that is not JSON is left out, and the rest of the event comes', async () => {
  const { events, connect } = bareDoor();
  const client = await connect({ events: 'all' });
  if (!client.ok) throw new Error(client.problem.message);
  const seen = collect(client.value);
  const record: MessageRecord = {
    ...{ type: 'user', uuid: 'u', parentUuid: null, sessionId: 's', timestamp: '', isSidechain: false },
    ...{ message: { role: 'user', content: [] }, origin: { kind: 'tool-results' } },
  };
  events.publish({ ...lead, type: 'message_added', record, toolData: { count: 1n } });
  await until(() => seen.length === 1);
  expect(seen).toMatchObject([{ type: 'message_added', record: { uuid: 'u' } }]);
});

const malformed: Record<string, object | string> = {
  text: 'hello?\n',
  'half of a JSON object': '{"type":"command"\n',
  'bytes that are not UTF-8': '\ud800\n',
  'a list': '[1, 2]\n',
  nothing: '\n',
  'a frame of no kind': { type: 'shout' },
  'a command of no kind': { type: 'command', id: '1', command: { type: 'rm' } },
  'a command without its fields': { type: 'command', id: '1', command: { type: 'prompt' } },
  'a mode that does not exist': {
    type: 'command',
    id: '1',
    command: { type: 'set_permission_mode', mode: 'root' },
  },
  'an answer that is none': {
    type: 'command',
    id: '1',
    command: { type: 'answer', questionId: 'q', answer: { behaviour: 'maybe' } },
  },
  'a second hello': hello,
  'a very deep object': `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}\n`,
};

for (const [name, line] of Object.entries(malformed))
  test(`SE4 ${name} gets an error that says why, and harms nothing`, async () => {
    const { commands, raw } = bareDoor();
    const client = raw();
    client.write(hello, line, { type: 'command', id: '2', command: { type: 'interrupt' } });
    const [, error, reply] = await client.heard(3);
    expect(error).toMatchObject({ type: 'error', kind: 'line', message: expect.stringMatching(/\w/) });
    expect(reply).toEqual({ type: 'reply', id: '2' });
    expect(commands).toEqual([{ type: 'interrupt' }]);
  });

const unwelcome: Record<string, object | string> = {
  'a command first': { type: 'command', id: '1', command: { type: 'interrupt' } },
  'no JSON first': 'GET / HTTP/1.1\n',
  'another protocol': { ...hello, protocol: 2 },
  'an endless first line': 'x'.repeat(100_000),
};

for (const [name, line] of Object.entries(unwelcome))
  test(`SE4 a client that sends ${name} is refused, and nothing it sends then counts`, async () => {
    const { commands, raw } = bareDoor();
    const client = raw();
    client.write(line, hello, { type: 'command', id: '2', command: { type: 'interrupt' } });
    await until(() => client.isClosed);
    expect(client.frames).toMatchObject([{ type: 'error', kind: 'refused', message: expect.any(String) }]);
    expect(commands).toEqual([]);
  });

test('a client that says nothing is sent away after a while, one that said hello is not', async () => {
  const { clock, raw } = bareDoor();
  const [silent, polite] = [raw(), raw()];
  polite.write(hello);
  await polite.heard(1);
  clock.advance(11_000);
  await until(() => silent.isClosed);
  expect(silent.frames).toMatchObject([{ kind: 'refused' }]);
  expect(polite.isClosed).toBe(false);
  expect(clock.untilNext()).toBeUndefined();
});

test('there is room for 32 clients, and for another when one leaves', async () => {
  const { connect } = bareDoor();
  const clients = await Promise.all(Array.from({ length: 32 }, () => connect()));
  expect(await connect()).toMatchObject({
    ok: false,
    problem: { message: 'This session already has 32 clients.' },
  });
  const [first] = clients;
  if (!first?.ok) throw new Error('refused');
  first.value.close();
  await first.value.ended;
  expect((await connect()).ok).toBe(true);
});

test('SE4 a client that breaks off in the middle of a line leaves nothing behind', async () => {
  const { commands, events, connect, raw } = bareDoor();
  const client = raw();
  client.write(hello);
  await client.heard(1);
  client.write('{"type":"command","id":"1","command":{"type":"inter');
  client.connection?.destroy();
  await until(() => client.isClosed);
  events.publish(notice('later'));
  const next = await connect();
  expect(next.ok && (await next.value.send({ type: 'interrupt' })).ok).toBe(true);
  expect(commands).toEqual([{ type: 'interrupt' }]);
});

test('a command that waits for its reply when the session ends is told so', async () => {
  const { door, connect } = bareDoor();
  const client = await connect();
  if (!client.ok) throw new Error(client.problem.message);
  door.close();
  expect(await client.value.send({ type: 'interrupt' })).toMatchObject({ ok: false });
  expect(await client.value.ended).toEqual({ kind: 'closed' });
});
