import { expect, test } from 'bun:test';
import { CheckQueue } from '../../src/checks/check-queue.ts';
import type { CheckOutcome } from '../../src/checks/types.ts';

const passed: CheckOutcome = { name: 'tests', passed: true, problems: [], durationMs: 1 };
const never = new AbortController().signal;

/** Work that ends when it is told to, and counts what runs. */
function openWork() {
  const running: PromiseWithResolvers<CheckOutcome>[] = [];
  let [begun, most] = [0, 0];
  return {
    work: async () => {
      const end = Promise.withResolvers<CheckOutcome>();
      running.push(end);
      begun++;
      most = Math.max(most, running.length);
      return await end.promise;
    },
    async endAll() {
      while (running.length > 0) {
        running.shift()?.resolve(passed);
        await Promise.resolve();
      }
    },
    counts: () => ({ begun, most }),
  };
}

test('HO7: three hundred who ask for the same four checks at once start eight runs, four at a time', async () => {
  const queue = new CheckQueue();
  const { work, endAll, counts } = openWork();
  const asked = Array.from({ length: 300 }, () =>
    ['types', 'lint', 'tests', 'security'].map((key) => queue.run(key, never, work)),
  ).flat();
  let isOver = false;
  const all = Promise.all(asked).then((outcomes) => {
    isOver = true;
    return outcomes;
  });
  while (!isOver) {
    await endAll();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await all).every((outcome) => outcome.passed)).toBe(true);
  expect(counts()).toEqual({ begun: 8, most: 4 });
});

test('HO7: a check that runs already does not answer one who asks later, since files may have changed', async () => {
  const queue = new CheckQueue();
  const ends: PromiseWithResolvers<CheckOutcome>[] = [];
  const work = () => {
    const end = Promise.withResolvers<CheckOutcome>();
    ends.push(end);
    return end.promise;
  };
  const first = queue.run('tests', never, work);
  const later = queue.run('tests', never, work);
  ends[0]?.resolve(passed);
  expect((await first).passed).toBe(true);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve({ ...passed, passed: false });
  expect((await later).passed).toBe(false);
});

test('HO7: a check is stopped when all who asked for it have left, not before', async () => {
  const queue = new CheckQueue(1);
  const signals: AbortSignal[] = [];
  const hold = (signal: AbortSignal) =>
    new Promise<CheckOutcome>((_, reject) => {
      signals.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const [one, two] = [new AbortController(), new AbortController()];
  const blocking = new AbortController();
  const first = queue.run('lint', blocking.signal, hold);
  const asked = [one, two].map(({ signal }) => queue.run('tests', signal, hold));
  one.abort(new Error('left'));
  await expect(asked[0]).rejects.toThrow('left');
  blocking.abort(new Error('stop'));
  await expect(first).rejects.toThrow('stop');
  await new Promise((resolve) => setImmediate(resolve));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  two.abort(new Error('left too'));
  await expect(asked[1]).rejects.toThrow('left too');
  expect(signals[1]?.aborted).toBe(true);
});
