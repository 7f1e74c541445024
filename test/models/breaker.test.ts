import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { Model, ModelFailure } from '../../src/protocol/index.ts';
import { collect, heldModel, settle } from './pacer-support.ts';

const badKey: ModelFailure = { kind: 'authentication', message: 'The key was rejected.', status: 401 };
const gone: ModelFailure = { kind: 'model_not_found', message: 'There is no such model.', status: 404 };

function openPaced(start = 1) {
  const pacer = new Pacer({ clock: manualClock(), random: () => 0, start });
  const inner = { ...heldModel(), limitGroup: 'one key' };
  const paced = (more: Partial<Model> = {}) => withPacer({ ...inner, ...more }, pacer);
  return { pacer, inner, paced };
}

test('G13 after an error that only the user can fix nothing is sent: requests that wait fail, and say why', async () => {
  const { inner, paced } = openPaced();
  const all = Array.from({ length: 20 }, () => collect(paced()));
  await settle();
  inner.refuse(badKey);
  const ends = (await Promise.all(all)).map((events) => events.at(-1));
  expect(inner.sent).toHaveLength(1);
  expect(ends[0]).toMatchObject({ type: 'response_failed', failure: badKey });
  for (const end of ends.slice(1))
    expect(end).toMatchObject({
      type: 'response_failed',
      failure: { kind: 'authentication', message: 'Not sent: The key was rejected.', unsent: true },
    });
  expect((await collect(paced())).at(-1)).toMatchObject({ failure: { unsent: true } });
  expect(inner.sent).toHaveLength(1);
});

test('a key that is refused breaks off all its models, a model that is gone only itself', async () => {
  for (const [failure, isSent] of [
    [badKey, false],
    [gone, true],
  ] as const) {
    const { inner, paced } = openPaced();
    const first = collect(paced());
    await settle();
    inner.refuse(failure);
    await first;
    const other = collect(paced({ id: 'held/other' }));
    await settle();
    expect(inner.sent).toHaveLength(isSent ? 2 : 1);
    inner.answer();
    await other;
  }
});

test('another key is not concerned', async () => {
  const { inner, paced } = openPaced();
  const first = collect(paced());
  await settle();
  inner.refuse(badKey);
  await first;
  const other = collect(paced({ limitGroup: 'another key' }));
  await settle();
  inner.answer();
  expect((await other).at(-1)?.type).toBe('response_ended');
});

test('G13 the breaker closes when a request succeeds, and when the user acts', async () => {
  const { pacer, inner, paced } = openPaced(2);
  const both = [collect(paced()), collect(paced())];
  await settle();
  inner.refuse(badKey);
  await settle();
  expect(pacer.findBreak(inner)).toEqual(badKey);
  inner.answer();
  await Promise.all(both);
  expect(pacer.findBreak(inner)).toBeUndefined();
  const again = collect(paced());
  await settle();
  inner.refuse(badKey);
  await again;
  pacer.noteUserAction();
  const last = collect(paced());
  await settle();
  inner.answer();
  expect((await last).at(-1)?.type).toBe('response_ended');
});
