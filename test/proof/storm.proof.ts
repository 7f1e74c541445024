import type { Proof } from '../../scripts/proofs.ts';
import { manualClock, sleep } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { Model, ModelRequest } from '../../src/protocol/index.ts';
import { type Random, seededRandom } from './random.ts';
import { stormProvider } from './storm-provider.ts';

const proof: Proof = {
  name: 'storm',
  promise:
    'G6: agents against a provider with a token bucket and outages a fifth of the time, demand at twice its limit: none fails, none sends before its retry-after, requests at most 1.3 times those needed, nobody waits beyond 3 times the median',
  async run(full, seed) {
    const size = full ? { agents: 100, durationMs: 600_000 } : { agents: 30, durationMs: 120_000 };
    const alone = await weather({ ...size, processes: 1, seed });
    const shared = await weather({ ...size, processes: 4, seed });
    const faults = [...faultsOf('one process', alone), ...faultsOf('four processes', shared)];
    return {
      passed: faults.length === 0,
      figures: {
        agents: size.agents,
        seconds: size.durationMs / 1_000,
        answered: alone.answered + shared.answered,
        failed: alone.failed + shared.failed,
        early: alone.early + shared.early,
        'requests ÷ needed': rounded(Math.max(alone.requestRatio, shared.requestRatio)),
        'longest ÷ median wait': rounded(Math.max(alone.waitRatio, shared.waitRatio)),
        'part of the limit used': rounded(Math.min(alone.used, shared.used)),
      },
      detail: faults.join('\n'),
    };
  },
};

export default proof;

export interface Storm {
  agents: number;
  processes: number;
  durationMs: number;
  seed: number;
  rate?: number;
  burst?: number;
  latencyMs?: [number, number];
  answerMs?: [number, number];
}

export interface Damage {
  answered: number;
  failed: number;
  early: number;
  requestRatio: number;
  waitRatio: number;
  used: number;
  refused: [number, number];
  median: number;
  agentRatio: number;
}

/** Agents in several sessions and processes, each of which asks, thinks, and asks again. */
export async function weather(storm: Storm): Promise<Damage> {
  const { agents, processes, durationMs, seed, rate = agents / 20, burst = 10 } = storm;
  const clock = manualClock();
  const random = seededRandom(seed);
  const answerMs = storm.answerMs ?? [500, 3_000];
  const latencyMs = storm.latencyMs ?? [50, 400];
  const provider = stormProvider({ clock, random, rate, burst, durationMs, latencyMs, answerMs });
  const hub = memoryPacing();
  const models = Array.from({ length: processes }, () => {
    const pacer = new Pacer({ clock, random: () => random.below(1_000) / 1_000, store: hub.join() });
    return withPacer(provider.model, pacer);
  });
  // Without waiting, all of them together would ask twice as fast as the limit.
  const pauseMs = (agents * 1_000) / (2 * rate) - mean(answerMs) - mean(latencyMs);
  const records: Record[] = [];
  const runs = Array.from({ length: agents }, (_, index) => {
    const record: Record = { waits: [], failed: 0 };
    records.push(record);
    const model = models[index % processes] as Model;
    return liveOn(model, {
      agent: index,
      sessions: processes * 4,
      pauseMs,
      durationMs,
      clock,
      random,
      record,
    });
  });
  const all = Promise.all(runs);
  let isOver = false;
  void all.then(() => {
    isOver = true;
  });
  while (!isOver) {
    clock.advance(clock.untilNext() ?? 0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await all;
  return damageOf(provider.account, records, (durationMs / 1_000) * rate * 0.8);
}

interface Record {
  waits: number[];
  failed: number;
}

interface Life {
  agent: number;
  sessions: number;
  pauseMs: number;
  durationMs: number;
  clock: ReturnType<typeof manualClock>;
  random: Random;
  record: Record;
}

async function liveOn(model: Model, life: Life): Promise<void> {
  const { agent, sessions, pauseMs, durationMs, clock, random, record } = life;
  const asker = {
    sessionId: `session-${agent % sessions}`,
    agentId: `agent-${agent}`,
    priority: agent % 5 === 0 ? ('background' as const) : ('foreground' as const),
  };
  await sleep(clock, random.below(Math.round(pauseMs)));
  while (clock.monotonic() < durationMs) {
    const asked = clock.monotonic();
    for await (const event of model.stream({ ...request, asker }, new AbortController().signal)) {
      if (event.type === 'response_started') record.waits.push(clock.monotonic() - asked);
      if (event.type === 'response_failed') record.failed++;
    }
    await sleep(clock, pauseMs * (0.5 + random.below(1_000) / 1_000));
  }
}

const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [],
  maxOutputTokens: 1,
  thinking: { type: 'off' },
};

function damageOf(
  account: ReturnType<typeof stormProvider>['account'],
  records: Record[],
  possible: number,
): Damage {
  const waits = records.flatMap((record) => record.waits);
  const means = records.map((record) => mean(record.waits));
  return {
    answered: account.answered,
    failed: records.reduce((sum, record) => sum + record.failed, 0),
    early: account.early,
    requestRatio: account.requests / account.answered,
    waitRatio: Math.max(...waits) / median(waits),
    agentRatio: Math.max(...means) / median(means),
    used: account.answered / possible,
    refused: account.refused,
    median: median(waits),
  };
}

function faultsOf(name: string, damage: Damage): string[] {
  return [
    ...(damage.failed > 0 ? [`${name}: ${damage.failed} requests failed`] : []),
    ...(damage.early > 0 ? [`${name}: ${damage.early} requests before their retry-after`] : []),
    ...(damage.requestRatio > 1.3 ? [`${name}: ${damage.requestRatio} requests for each one needed`] : []),
    ...(damage.waitRatio > 3 ? [`${name}: somebody waited ${damage.waitRatio} times the median`] : []),
  ];
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
