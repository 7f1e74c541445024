import { expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { Pacer } from '../../src/models/pacer/pacer.ts';
import { withPacer } from '../../src/models/pacer/with-pacer.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { Model } from '../../src/protocol/index.ts';
import { failWith, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { faulty, respond } from '../../src/testing/turns.ts';
import { accountWith, ask, requestOf } from './budget-support.ts';
import { drive } from './pacer-support.ts';
import { modelOver, type Wire, wires } from './wires.ts';

const one = { input: 1, output: 1 };
const overrides = { 'anthropic/': one };
const everyPrice = { 'anthropic/': one, 'openai/': one, 'google/': one };
const usage = { input_tokens: 1_500, output_tokens: 40 };

test('G1: over the wire, an answer is paid for as the provider counts it', async () => {
  expect(await spentOn({ ...say('hello'), usage })).toBe(1_540);
});

test('G1: over the wire, a lowered max_tokens is what is sent', async () => {
  await using provider = await fakeProvider({ script: [say('hello')] });
  await ask(modelAt(provider.url), accountWith({ microUsd: 5_000 }), requestOf(32_000), { overrides }).done;
  expect(provider.requests[0]?.json?.max_tokens).toBe(3_000);
});

test('G1: over the wire, a refusal costs nothing', async () => {
  expect(await spentOn(failWith({ kind: 'rate_limited', message: 'slow down', status: 429 }))).toBe(0);
});

test('G1: over the wire, an answer that breaks off before its count holds its reservation', async () => {
  const cut = faulty({ kind: 'cut', afterBytes: 10, by: 'reset' }, say('hello'));
  await using provider = await fakeProvider({ script: [cut] });
  const account = accountWith({ microUsd: 100_000 });
  await ask(modelAt(provider.url), account, requestOf(4_000), { overrides }).done;
  expect([account.spent.microUsd, account.held.microUsd]).toEqual([0, 6_000]);
});

for (const wire of wires) {
  test(`G1 ${wire.name}: a server that closes every connection costs nothing`, async () => {
    const server = createServer((socket) => void socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const end = await endOver(wire, `http://127.0.0.1:${port}`);
    server.close();
    expect(end).toEqual({ kind: 'network', spent: 0, held: 0 });
  });

  for (const status of [400, 401, 404, 500, 502])
    test(`G1 ${wire.name}: an answer of ${status} costs nothing`, async () => {
      await using provider = await fakeProvider({ script: () => respond({ status, body: 'no' }) });
      expect(await endOver(wire, provider.url)).toMatchObject({ spent: 0, held: 0 });
    });

  test(`G1 ${wire.name}: a page in place of an answer costs nothing`, async () => {
    const page = respond({ headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' });
    await using provider = await fakeProvider({ script: () => page });
    expect(await endOver(wire, provider.url)).toEqual({ kind: 'malformed', spent: 0, held: 0 });
  });

  test(`G1 ${wire.name}: an answer that is cut every time holds one reservation at most`, async () => {
    const cut = faulty({ kind: 'cut', afterEvents: 3 }, say('hello there, this is it'));
    await using provider = await fakeProvider({ script: () => cut });
    const { kind, spent, held } = await endOver(wire, provider.url);
    expect(kind).toBe('network');
    expect(provider.requests.length).toBe(10);
    expect(held).toBeLessThanOrEqual(6_000);
    // Where the provider counts as it goes, every attempt is paid for as counted.
    expect(held > 0 || spent > 0).toBe(true);
  });
}

/** How a request to a model of the wire ends, with pacing and a budget around it, as in a session. */
async function endOver(wire: Wire, url: string) {
  const clock = manualClock();
  const account = accountWith({ microUsd: 1_000_000 });
  const model = withPacer(modelOver(wire, fetch, url), new Pacer({ clock, random: () => 0 }));
  const asked = ask(model, account, requestOf(4_000), { overrides: everyPrice });
  await drive(clock, asked.done);
  const last = asked.events.at(-1);
  const kind = last?.type === 'response_failed' ? last.failure.kind : undefined;
  return { kind, spent: account.spent.microUsd, held: account.held.microUsd };
}

test('G1: over the wire, an answer that breaks off later costs its prompt and what came', async () => {
  const text = 'word '.repeat(50);
  const turn = { ...say(text), usage };
  const spent = await spentOn(faulty({ kind: 'cut', afterEvents: -2, by: 'end' }, turn));
  expect(spent).toBeGreaterThanOrEqual(1_500);
  expect(spent).toBeLessThanOrEqual(1_500 + text.length);
});

async function spentOn(turn: Turn): Promise<number> {
  await using provider = await fakeProvider({ script: [turn] });
  const account = accountWith({ microUsd: 100_000 });
  await ask(modelAt(provider.url), account, requestOf(4_000), { overrides }).done;
  return account.spent.microUsd;
}

function modelAt(url: string): Model {
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'test-key' };
  const found = resolveModel('anthropic/claude-haiku-4-5', {
    env,
    keys: memoryKeyStore(),
    clock: systemClock,
  });
  if (!found.ok) throw new Error(found.problem.message);
  return found.value;
}
