/**
 * What workers ask of their engine, counted: fleets of several sizes on the twin, in simulated time. No figure depends on the machine.
 *
 *   npm run bench:fleet
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ManualClock, manualClock, sleep } from '../src/lib/clock.ts';
import { ok } from '../src/lib/result.ts';
import type { Engine } from '../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../src/remote/engines/memory.ts';
import { type JobOrder, jobsBell, storeOrder, streams } from '../src/remote/job.ts';
import { type JobKey, openJobKey } from '../src/remote/keys.ts';
import { type ClaimedJob, serveWorker, storeFailure } from '../src/remote/serve-worker.ts';

const sizes = [1, 10, 100, 1_000];
const measuredMs = 60_000;
const stepMs = 10_000;

interface Counted {
  calls: number;
  takes: number;
  /** Every worker hears each. */
  rings: number;
}

console.log('workers   idle: calls/s each   busy: calls/s each   rings/s in all   takes per new job');
for (const size of sizes) {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-fleet-'));
  const row = await measureFleet(size, directory).finally(() => rmSync(directory, { recursive: true }));
  console.log(
    [
      String(size).padStart(7),
      row.idle.toFixed(2).padStart(21),
      row.busy.toFixed(2).padStart(21),
      row.rings.toFixed(1).padStart(17),
      String(row.takes).padStart(20),
    ].join(''),
  );
}

async function measureFleet(size: number, directory: string) {
  const clock = manualClock();
  const server = memoryServer(clock);
  const counted: Counted = { calls: 0, takes: 0, rings: 0 };
  const engine = countCalls(memoryEngine(server), counted);
  const key = must(openJobKey(join(directory, 'key')));
  const stop = new AbortController();
  const running = Array.from({ length: size }, (_, at) =>
    startWorker({ engine, clock, key, name: `w${at}`, home: join(directory, `${at}`), signal: stop.signal }),
  );
  const during = async (ms: number) => {
    const before = { ...counted };
    await pass(clock, ms);
    const seconds = ms / 1000;
    return {
      calls: (counted.calls - before.calls) / size / seconds,
      rings: (counted.rings - before.rings) / seconds,
    };
  };
  await pass(clock, 10_000);
  const idle = await during(measuredMs);
  const { takes } = counted;
  await submit(memoryEngine(server), key, 0);
  await flush();
  const taken = counted.takes - takes;
  for (let job = 1; job < size; job++) await submit(memoryEngine(server), key, job);
  await pass(clock, 10_000);
  const busy = await during(measuredMs);
  stop.abort();
  await pass(clock, stepMs);
  await Promise.all(running);
  return { idle: idle.calls, busy: busy.calls, rings: busy.rings, takes: taken };
}

interface Start {
  engine: Engine;
  clock: ManualClock;
  key: JobKey;
  name: string;
  home: string;
  signal: AbortSignal;
}

function startWorker(start: Start): Promise<void> {
  const known = ok(new Set([start.key.name]));
  return serveWorker({
    ...start,
    ...{ labels: ['default'], slots: 1, knownKeys: () => known, say: () => {} },
    machine: () => ({ host: 'here', load: 0 }),
    runJob: (job) => takeSteps(job, start.clock),
  });
}

/** An agent as the engine sees it: now and then a step is stored. */
async function takeSteps(job: ClaimedJob, clock: ManualClock) {
  for (let step = 0; !job.leaving.aborted; step++) {
    await sleep(clock, stepMs);
    await job.store([{ stream: streams.steps, key: `${step}`, body: '{}' }]);
  }
  await storeFailure(job, 'It is over.');
  return 'over' as const;
}

async function submit(engine: Engine, key: JobKey, number: number): Promise<void> {
  const order: JobOrder = {
    ...{ format: 1, id: `job-${number}`, sessionId: crypto.randomUUID(), submittedAt: 0 },
    ...{ description: '', repository: 'r', base: 'a'.repeat(40), stands: '' },
    ...{ agent: { type: 'general-purpose' }, model: 'm', permissionMode: 'default' },
  };
  must(await storeOrder(engine, order, key));
  must(await engine.enqueue({ id: order.id, label: 'default', priority: 5 }));
  must(await engine.ring(jobsBell));
}

function countCalls(engine: Engine, counted: Counted): Engine {
  const calls = Object.entries(engine).map(([name, method]) => {
    if (typeof method !== 'function' || name === 'listen' || name === 'close') return [name, method];
    return [
      name,
      (...words: unknown[]) => {
        counted.calls++;
        if (name === 'take') counted.takes++;
        if (name === 'ring') counted.rings++;
        return method(...words);
      },
    ];
  });
  return Object.fromEntries(calls) as Engine;
}

async function pass(clock: ManualClock, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await flush();
  for (let next = clock.untilNext(); next !== undefined && clock.monotonic() + next <= end; ) {
    clock.advance(next);
    await flush();
    next = clock.untilNext();
  }
  clock.advance(end - clock.monotonic());
}

/** All that needs no more time. */
async function flush(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function must<T>(result: { ok: true; value: T } | { ok: false; problem: { message: string } }): T {
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}
