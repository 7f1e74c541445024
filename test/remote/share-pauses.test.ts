import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { filePacing } from '../../src/models/pacer/file-store.ts';
import type { Engine } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { openJobKey, readKnownKeys, trustKey } from '../../src/remote/keys.ts';
import { sealRow } from '../../src/remote/sealed-rows.ts';
import { sharePauses } from '../../src/remote/share-pauses.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';
import { openMemoryEngine, waitFor } from './worker-ground.ts';

const model = 'anthropic/claude-test@0123456789abcdef';

function open(engine: Engine, { clock = systemClock, isBusy = true } = {}) {
  const home = temporaryDirectory().path;
  const key = get(openJobKey(home));
  const begin = () =>
    sharePauses({
      engine,
      clock,
      home,
      key,
      knownKeys: () => readKnownKeys(home),
      isBusy: () => isBusy,
    });
  const pacing = filePacing({ home, now: () => Date.now() });
  return { home, key, begin, pacing };
}

test('G6 a limit that one worker meets pauses the others that trust it, and no others', async () => {
  const { engine } = openMemoryEngine();
  const [first, second, third] = [open(engine), open(engine), open(engine)];
  if (!first || !second || !third) throw new Error('no workers');
  get(trustKey(second.home, first.key.name, ''));
  const sharing = [first, second, third].map(({ begin }) => begin());
  const hold = { at: Date.now(), delayMs: 20_000, cause: 'rate_limited' as const, status: 429 };
  first.pacing.publish(model, { sessions: 1, hold });
  const [found] = await waitFor(() => {
    const peers = second.pacing.read(model);
    return peers.length > 0 ? peers : undefined;
  });
  expect(found).toMatchObject({ isAlive: true, note: { sessions: 0, hold: { cause: 'rate_limited' } } });
  expect(found?.note.hold?.delayMs).toBeGreaterThan(10_000);
  expect(third.pacing.read(model)).toEqual([]);
  const notes = get(await engine.notes('pause'));
  // It is told once, and not again by those that heard it.
  expect(notes.length).toBe(1);
  await Promise.all(sharing.map((one) => one.stop()));
});

test('a pause with a name that leads elsewhere is ignored', async () => {
  const { engine } = openMemoryEngine();
  const [first, second] = [open(engine), open(engine)];
  if (!first || !second) throw new Error('no workers');
  get(trustKey(second.home, first.key.name, ''));
  const hold = { at: 1, delayMs: 20_000, cause: 'rate_limited' };
  for (const name of ['../escaped', 'fine']) {
    const body = JSON.stringify({ model: name, at: 1, hold });
    const sealed = sealRow(first.key, 'pause', { stream: 'pause', key: name, body });
    get(await engine.note('pause', name, sealed.body, 20_000));
  }
  const sharing = second.begin();
  await waitFor(() => existsSync(join(second.home, 'pacing', 'fine')) || undefined);
  expect(existsSync(join(second.home, 'escaped'))).toBe(false);
  await sharing.stop();
});

test('G6 a worker that was idle tells of a limit, and hears of one, as soon as a job begins or the bell rings', async () => {
  const clock = manualClock(Date.now());
  const shared = memoryEngine(memoryServer(clock));
  let looks = 0;
  const engine: Engine = {
    ...shared,
    notes(kind) {
      looks++;
      return shared.notes(kind);
    },
  };
  const [first, second] = [open(engine, { clock, isBusy: false }), open(engine, { clock, isBusy: false })];
  get(trustKey(second.home, first.key.name, ''));
  const [telling, hearing] = [first.begin(), second.begin()];
  await waitFor(() => looks === 2 || undefined);
  const hold = { at: clock.now(), delayMs: 20_000, cause: 'rate_limited' as const, status: 429 };
  first.pacing.publish(model, { sessions: 1, hold });
  // Not as long as either would wait by itself.
  clock.advance(600);
  telling.look();
  await waitFor(() => (second.pacing.read(model).length > 0 ? true : undefined));
  await Promise.all([telling.stop(), hearing.stop()]);
});
