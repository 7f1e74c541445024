import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import type { Model } from '../../src/protocol/index.ts';
import { failWith, fakeProvider, say, type Turn } from '../../src/testing/index.ts';
import { faulty } from '../../src/testing/turns.ts';
import { accountWith, ask, requestOf } from './budget-support.ts';

const overrides = { 'anthropic/': { input: 1, output: 1 } };
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

test('G1: over the wire, an answer that breaks off before its count costs its reservation', async () => {
  expect(await spentOn(faulty({ kind: 'cut', afterBytes: 10, by: 'reset' }, say('hello')))).toBe(6_000);
});

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
