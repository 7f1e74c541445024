import { expect, test } from 'bun:test';
import { type Merged, merge } from '../../src/lib/merge.ts';

/** A generator that waits for `step` before each value, and notes its start and its clean-up. */
function stepped(name: string, log: string[]) {
  let release = () => {};
  let gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* run(count: number) {
    log.push(`${name} starts`);
    try {
      for (let index = 0; index < count; index++) {
        await gate;
        gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        yield `${name}${index}`;
      }
      return `${name} end`;
    } finally {
      log.push(`${name} cleaned`);
    }
  }
  return { run, step: () => release() };
}

async function* count(name: string, to: number, log: string[] = []) {
  log.push(`${name} starts`);
  try {
    for (let index = 0; index < to; index++) yield `${name}${index}`;
    return name;
  } finally {
    log.push(`${name} cleaned`);
  }
}

async function collect<T, R>(merged: AsyncGenerator<Merged<T>, R>) {
  const values: Merged<T>[] = [];
  for (;;) {
    const next = await merged.next();
    if (next.done) return { values, end: next.value };
    values.push(next.value);
  }
}

test('returns come in order, values with the index of their generator', async () => {
  const { values, end } = await collect(merge([count('a', 2), count('b', 0), count('c', 1)], 10));
  expect(end).toEqual(['a', 'b', 'c']);
  expect(values.filter(({ index }) => index === 0).map(({ value }) => value)).toEqual(['a0', 'a1']);
  expect(values.filter(({ index }) => index === 2).map(({ value }) => value)).toEqual(['c0']);
});

test('values come as they arrive, not in the order of generators', async () => {
  const [a, b] = [stepped('a', []), stepped('b', [])];
  const merged = merge([a.run(1), b.run(1)], 2);
  const first = merged.next();
  b.step();
  expect(await first).toEqual({ done: false, value: { index: 1, value: 'b0' } });
  a.step();
  expect(await merged.next()).toEqual({ done: false, value: { index: 0, value: 'a0' } });
  expect(await merged.next()).toEqual({ done: true, value: ['a end', 'b end'] });
});

test('no more than the limit run at a time', async () => {
  let running = 0;
  let most = 0;
  async function* work() {
    most = Math.max(most, ++running);
    await Promise.resolve();
    yield 1;
    await Promise.resolve();
    running--;
  }
  await collect(merge(Array.from({ length: 20 }, work), 3));
  expect(most).toBe(3);
});

test('when the reader leaves, started and unstarted generators are returned', async () => {
  const log: string[] = [];
  const unstarted = count('c', 5, log);
  for await (const _ of merge([count('a', 5, log), count('b', 5, log), unstarted], 2)) break;
  expect(log.sort()).toEqual(['a cleaned', 'a starts', 'b cleaned', 'b starts']);
  expect(await unstarted.next()).toMatchObject({ done: true });
});

test('when one throws the others are cleaned up first and the error comes out', async () => {
  const log: string[] = [];
  // biome-ignore lint/correctness/useYield: it fails before it has anything to yield.
  async function* broken(): AsyncGenerator<string, string> {
    throw new Error('broken');
  }
  await expect(collect(merge([count('a', 1000, log), broken()], 2))).rejects.toThrow('broken');
  expect(log).toEqual(['a starts', 'a cleaned']);
});

test('nothing to merge is an empty list', async () => {
  expect(await collect(merge([], 4))).toEqual({ values: [], end: [] });
});
