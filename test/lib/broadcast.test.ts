import { expect, test } from 'bun:test';
import { Broadcast } from '../../src/lib/broadcast.ts';

const create = (limit = 3) => new Broadcast<string>({ limit, droppable: (item) => item.startsWith('delta') });

async function drain(items: AsyncIterable<string>) {
  const seen: string[] = [];
  for await (const item of items) seen.push(item);
  return seen;
}

test('every subscriber gets every item in order', async () => {
  const broadcast = create();
  const readers = [broadcast.subscribe(), broadcast.subscribe()].map(drain);
  for (const item of ['a', 'b', 'c']) broadcast.publish(item);
  broadcast.close();
  expect(await Promise.all(readers)).toEqual([
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
});

test('a subscriber counts from subscribe(), not from its first next()', async () => {
  const broadcast = create();
  const reader = broadcast.subscribe();
  broadcast.publish('early');
  broadcast.close();
  expect(await drain(reader)).toEqual(['early']);
});

test('a slow subscriber misses droppable items only, and they are counted', async () => {
  const broadcast = create(3);
  const slow = broadcast.subscribe();
  for (let index = 0; index < 10; index++) {
    broadcast.publish(`delta ${index}`);
    broadcast.publish(`result ${index}`);
  }
  broadcast.close();
  const seen = await drain(slow);
  expect(seen.filter((item) => item.startsWith('result'))).toHaveLength(10);
  expect(seen.filter((item) => item.startsWith('delta'))).toEqual(['delta 0', 'delta 1']);
  expect(slow.dropped).toBe(8);
});

test('a slow subscriber does not take anything from a fast one', async () => {
  const broadcast = create(1);
  broadcast.subscribe();
  const fast = broadcast.subscribe();
  for (let index = 0; index < 5; index++) {
    broadcast.publish(`delta ${index}`);
    expect(await fast.next()).toEqual({ done: false, value: `delta ${index}` });
  }
});

test('leaving a for await unsubscribes', async () => {
  const broadcast = create();
  const reader = broadcast.subscribe();
  broadcast.publish('a');
  for await (const item of reader) {
    expect(item).toBe('a');
    break;
  }
  expect(broadcast.subscribers).toBe(0);
  expect(await reader.next()).toEqual({ done: true, value: undefined });
});

test('return() ends a next() that is waiting', async () => {
  const broadcast = create();
  const reader = broadcast.subscribe();
  const waiting = reader.next();
  await reader.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test('a subscriber after the end is told so, and publishing does nothing', async () => {
  const broadcast = create();
  broadcast.close();
  broadcast.publish('late');
  expect(await drain(broadcast.subscribe())).toEqual([]);
});

test('a long queue keeps its order', async () => {
  const broadcast = create();
  const reader = broadcast.subscribe();
  const items = Array.from({ length: 20_000 }, (_, index) => `${index}`);
  for (const item of items) broadcast.publish(item);
  broadcast.close();
  expect(await drain(reader)).toEqual(items);
});

test('a subscriber that does not read is ended when too much waits for it, and the others are not', async () => {
  const broadcast = new Broadcast<string>({
    limit: 1_000,
    droppable: (item) => item.startsWith('delta'),
    weigh: (item) => item.length,
    maxWeight: 10,
  });
  const overruns: string[] = [];
  const idle = broadcast.subscribe(() => overruns.push('idle'));
  const busy = drain(broadcast.subscribe(() => overruns.push('busy')));
  for (const item of ['12345', 'delta 12345', '67890', 'x', 'y']) {
    broadcast.publish(item);
    await Promise.resolve();
    await Promise.resolve();
  }
  broadcast.close();
  expect(overruns).toEqual(['idle']);
  expect([idle.dropped, await drain(idle)]).toEqual([1, []]);
  expect(await busy).toEqual(['12345', 'delta 12345', '67890', 'x', 'y']);
});
