import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { countedIds } from '../../src/lib/ids.ts';
import { openAccount } from '../../src/models/budget/account.ts';
import { convertCaps } from '../../src/models/budget/caps.ts';
import { memoryLedger } from '../../src/models/budget/ledger.ts';
import { seedLedger } from '../../src/models/budget/seed-ledger.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import { type Model, type ModelRequest, noUsage } from '../../src/protocol/index.ts';
import { say, scriptedModel } from '../../src/testing/index.ts';

const overrides = { scripted: { input: 1, output: 1 } };
const owner = { pid: process.pid, start: '1' };
const request: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Find it' }] }],
  maxOutputTokens: 1_024,
  thinking: { type: 'off' },
};

function accountOf(ledger = memoryLedger()) {
  const opened = openAccount({
    ledger,
    caps: convertCaps({ maxBudgetUsd: 0.05 }),
    overrides,
    clock: manualClock(),
    ids: countedIds(),
    owner,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return opened.value;
}

test('G1 what a provider adds to a prompt by itself is reserved too', async () => {
  const model = scriptedModel([say('Found.')]);
  const paid = withBudget(model, accountOf(), { overrides });
  const ask = (more: object) =>
    Array.fromAsync(paid.stream({ ...request, ...more }, new AbortController().signal));
  expect((await ask({ addedTokens: 100_000 })).at(-1)).toMatchObject({ failure: { kind: 'out_of_budget' } });
  expect(model.requests).toEqual([]);
  expect((await ask({})).at(-1)).toMatchObject({ type: 'response_ended' });
});

test('G1 what was spent before there was a ledger counts against a cap', async () => {
  const ledger = memoryLedger();
  const usage = {
    input_tokens: 49_000,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const row = { agentId: null, model: 'scripted/model', usage, microUsd: 49_000, requests: 3, estimated: 0 };
  seedLedger(ledger, [row], { clock: manualClock(), ids: countedIds(), owner });
  const account = accountOf(ledger);
  expect(account.report().totalMicroUsd).toBe(49_000);
  const paid = withBudget(scriptedModel([say('Never.')]), account, { overrides });
  const events = await Array.fromAsync(paid.stream(request, new AbortController().signal));
  expect(events.at(-1)).toMatchObject({ failure: { kind: 'out_of_budget' } });
});

test('G1 an attempt that was counted and then refused is paid for, although it is made again', async () => {
  const counted = { ...noUsage, input_tokens: 20_000 };
  const overloaded = { kind: 'overloaded' as const, message: 'busy', status: 529 };
  const model: Model = {
    id: 'scripted/model',
    facts: scriptedModel([]).facts,
    async *stream(asked, signal) {
      yield { type: 'request_retried', attempt: 1, delayMs: 1, failure: overloaded, usage: counted };
      yield* scriptedModel([say('At last.')]).stream(asked, signal);
    },
  };
  const account = accountOf();
  const events = withBudget(model, account, { overrides }).stream(request, new AbortController().signal);
  expect((await Array.fromAsync(events)).at(-1)).toMatchObject({ type: 'response_ended' });
  expect(account.report().totalMicroUsd).toBeGreaterThan(20_000);
});
