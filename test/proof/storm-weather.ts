import { manualClock, sleep } from '../../src/lib/clock.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { memoryPacing } from '../../src/models/pacer/store.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import type { Model, ModelRequest } from '../../src/protocol/index.ts';
import { type Random, seededRandom } from './random.ts';
import { stormProvider } from './storm-provider.ts';

export interface Storm {
  agents: number;
  processes: number;
  durationMs: number;
  seed: number;
  /** By default one request in twenty seconds for each agent, which is half of what it would like. */
  rate?: number;
  burst?: number;
  latencyMs?: [number, number];
  answerMs?: [number, number];
}

export interface Damage {
  answered: number;
  failed: number;
  early: number;
  /** Requests sent for each one answered. */
  requestRatio: number;
  /** The longest wait of all against the median of all. */
  waitRatio: number;
  /** The agent that waited longest on average against the median of the agents. */
  agentRatio: number;
  /** Of what the provider would have taken, its outages aside. */
  used: number;
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
  const logs: Log[] = [];
  const runs = Array.from({ length: agents }, (_, index) => {
    const log: Log = { waits: [], failed: 0 };
    logs.push(log);
    const model = models[index % processes] as Model;
    return liveOn(model, {
      agent: index,
      sessions: processes * 4,
      pauseMs,
      durationMs,
      clock,
      random,
      log,
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
  return damageOf(provider.account, logs, (durationMs / 1_000) * rate * 0.8);
}

interface Log {
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
  log: Log;
}

async function liveOn(model: Model, life: Life): Promise<void> {
  const { agent, sessions, pauseMs, durationMs, clock, random, log } = life;
  const asker = {
    sessionId: `session-${agent % sessions}`,
    agentId: `agent-${agent}`,
    priority: agent % 5 === 0 ? ('background' as const) : ('foreground' as const),
  };
  await sleep(clock, random.below(Math.round(pauseMs)));
  while (clock.monotonic() < durationMs) {
    const asked = clock.monotonic();
    for await (const event of model.stream({ ...request, asker }, new AbortController().signal)) {
      if (event.type === 'response_started') log.waits.push(clock.monotonic() - asked);
      if (event.type === 'response_failed') log.failed++;
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
  logs: Log[],
  possible: number,
): Damage {
  const waits = logs.flatMap((log) => log.waits);
  const means = logs.map((log) => mean(log.waits));
  return {
    answered: account.answered,
    failed: logs.reduce((sum, log) => sum + log.failed, 0),
    early: account.early,
    requestRatio: account.requests / account.answered,
    waitRatio: Math.max(...waits) / median(waits),
    agentRatio: Math.max(...means) / median(means),
    used: account.answered / possible,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
