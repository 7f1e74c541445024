import { expect, test } from 'bun:test';
import { Turns, type Waiting } from '../../src/models/pacer/turns.ts';
import type { Asker } from '../../src/protocol/index.ts';

interface Named extends Waiting {
  name: string;
}

function waiting(name: string, given: Partial<Asker> & Partial<Waiting> = {}): Named {
  const { sessionId = 'session', agentId = null, priority = 'foreground', ...rest } = given;
  const asker = { sessionId, agentId, priority };
  return { name, asker, since: 0, enteredAt: 0, faults: 0, streak: undefined, ...rest };
}

function order(turns: Turns<Named>, now = 0, streak?: number): string {
  const names: string[] = [];
  for (let next = turns.take(now, streak); next; next = turns.take(now, streak)) names.push(next.name);
  return names.join(' ');
}

function queue(...all: Named[]): Turns<Named> {
  const turns = new Turns<Named>();
  for (const each of all) turns.add(each);
  return turns;
}

test('G6: sessions take turns, however many requests one of them has', () => {
  const turns = queue(
    ...['a1', 'a2', 'a3', 'a4'].map((name) => waiting(name, { sessionId: 'a' })),
    waiting('b1', { sessionId: 'b' }),
    waiting('c1', { sessionId: 'c' }),
    waiting('c2', { sessionId: 'c' }),
  );
  expect(order(turns)).toBe('a1 b1 c1 a2 c2 a3 a4');
});

test('G6: within a session its agents take turns', () => {
  const turns = queue(
    ...['x1', 'x2', 'x3'].map((name) => waiting(name, { agentId: 'x' })),
    waiting('y1', { agentId: 'y' }),
    waiting('lead'),
  );
  expect(order(turns)).toBe('x1 y1 lead x2 x3');
});

test('the foreground goes before the background', () => {
  const turns = queue(waiting('back', { priority: 'background' }), waiting('front'));
  expect(order(turns)).toBe('front back');
});

test('G6: who has waited much longer than is usual goes first, from the background too', () => {
  const turns = queue();
  for (let index = 0; index < 64; index++) {
    turns.add(waiting('usual', { since: 0 }));
    turns.take(10_000, undefined);
  }
  turns.add(waiting('back', { priority: 'background', since: 0 }));
  turns.add(waiting('front', { since: 12_000 }));
  expect(turns.take(13_000, undefined)?.name).toBe('front');
  turns.add(waiting('next', { since: 13_500 }));
  expect(turns.take(14_000, undefined)?.name).toBe('back');
});

test('one that was refused does not go to the end of the line', () => {
  const turns = queue(waiting('a'), waiting('refused', { streak: 1, faults: 1 }));
  expect(order(turns)).toBe('refused a');
});

test('in a row of refusals another one is tried each time', () => {
  const turns = queue(waiting('a'), waiting('refused', { streak: 7, faults: 1 }));
  expect(order(turns, 0, 7)).toBe('a refused');
});

test('one that is refused while others are accepted loses its privilege', () => {
  const turns = queue(waiting('a'), waiting('stubborn', { streak: 1, faults: 3 }));
  expect(order(turns)).toBe('a stubborn');
});

test('one that left is not served', () => {
  const [a, b] = [waiting('a'), waiting('b', { streak: 1 })];
  const turns = queue(a, b, waiting('c'));
  turns.remove(a);
  turns.remove(b);
  expect(order(turns)).toBe('c');
  expect(turns.size).toBe(0);
});
