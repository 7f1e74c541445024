import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import type { Session } from '../../src/session/session.ts';
import { type FakeProvider, failWith, fakeProvider, say } from '../../src/testing/index.ts';
import type { RunEnd } from '../../src/workflows/run-types.ts';
import { until } from '../support/index.ts';
import { type Place, place } from './support.ts';

const hour = 3_600_000;
const agents = 100;

/** A provider whose quota ends after some answers and is full again at a known time. */
async function openProvider(clock: ManualClock, answers: number) {
  const resetsAt = clock.now() + 5 * hour;
  const times: number[] = [];
  const provider = await fakeProvider({
    script: () => {
      times.push(clock.now());
      if (times.length <= answers || clock.now() >= resetsAt) return say('done');
      const retryAfterMs = resetsAt - clock.now();
      return failWith({ kind: 'rate_limited', message: 'Your limit is used up.', status: 429, retryAfterMs });
    },
  });
  return { provider, times, resetsAt };
}

async function openAt(at: Place, provider: FakeProvider, clock: ManualClock, options: SessionOptions = {}) {
  mkdirSync(join(at.home, 'workflows'), { recursive: true });
  mkdirSync(at.cwd, { recursive: true });
  writeFileSync(
    join(at.home, 'workflows', 'many.js'),
    "export const meta = { name: 'many', description: 'd' };\nreturn (await parallel(Array.from({ length: args }, (_, n) => () => agent('job ' + n)))).length;",
  );
  const opened = await openSession({
    ...{ cwd: at.cwd, clock, sandbox: false },
    environment: { ...at.environment, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'key' },
    ...options,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  opened.value.beginNothing();
  return opened.value;
}

async function begin(session: Session, wish: { args?: number; name?: string; resume?: string }) {
  const task = await session.spawn({ kind: 'local_workflow', yes: true, ...wish });
  if (!task.ok) throw new Error(task.problem.message);
  let end: RunEnd | undefined;
  void session
    .workflows()
    .ended(task.value.id)
    ?.then((ended) => {
      end = ended;
    });
  return { task: task.value, end: () => end };
}

function pass(clock: ManualClock, isOver: () => boolean): Promise<void> {
  return until(() => {
    clock.advance(20);
    return isOver();
  });
}

test('G13 TS8 a quota that ends suspends a run of 100 agents: nothing is sent before the reset, a resumed run ends well', async () => {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const { provider, times, resetsAt } = await openProvider(clock, 20);
  await using _ = provider;
  const at = place();
  const session = await openAt(at, provider, clock, { oneShot: true });
  const first = await begin(session, { name: 'many', args: agents });
  await pass(clock, () => first.end() !== undefined);
  expect(first.end()).toMatchObject({ status: 'suspended', census: { outcomes: { ok: 20, failed: 0 } } });
  expect(Math.abs((first.end()?.until ?? 0) - resetsAt)).toBeLessThan(60_000);
  expect(times.length).toBeLessThanOrEqual(20 + 8);
  await session.close();

  // Resumed too early: it is suspended again, and nothing is sent.
  const sent = times.length;
  const early = await openAt(at, provider, clock, { oneShot: true });
  const second = await begin(early, { resume: first.end()?.runId ?? '' });
  await pass(clock, () => second.end() !== undefined);
  expect(second.end()).toMatchObject({ status: 'suspended' });
  expect(times.length).toBe(sent);
  await early.close();

  clock.advance(resetsAt - clock.now());
  const late = await openAt(at, provider, clock, { oneShot: true });
  const third = await begin(late, { resume: first.end()?.runId ?? '' });
  await pass(clock, () => third.end() !== undefined);
  expect(third.end()).toMatchObject({
    status: 'completed',
    value: agents,
    census: { outcomes: { ok: agents } },
  });
  expect(times.length).toBeLessThanOrEqual(agents + 8);
  await late.close();
});

test('G13 TS8 a run that may wait continues by itself after the reset', async () => {
  const clock = manualClock(Date.UTC(2026, 0, 1));
  const { provider, times, resetsAt } = await openProvider(clock, 10);
  await using _ = provider;
  const session = await openAt(place(), provider, clock, { wait: '6h' });
  const run = await begin(session, { name: 'many', args: 30 });
  const working = () =>
    session.tasks().filter(({ kind, status }) => kind === 'local_agent' && status === 'running');
  await pass(
    clock,
    () => working().length > 0 && working().every(({ suspended }) => suspended !== undefined),
  );
  const sent = times.length;
  clock.advance(resetsAt - clock.now() - 1);
  await new Promise(setImmediate);
  expect(times.length).toBe(sent);
  await pass(clock, () => run.end() !== undefined);
  expect(run.end()).toMatchObject({ status: 'completed', census: { outcomes: { ok: 30, failed: 0 } } });
  expect(times.length).toBeLessThanOrEqual(30 + 8);
  await session.close();
});
