import { expect, test } from 'bun:test';
import type { Account } from '../../src/models/budget/account.ts';
import { withBudget } from '../../src/models/budget/with-budget.ts';
import type { Model, ModelEvent } from '../../src/protocol/index.ts';
import {
  accountWith,
  ask,
  ended,
  failed,
  heldModel,
  plainPrice,
  requestOf,
  settled,
} from './budget-support.ts';

/** 2,000 tokens of input and 4,000 of output, at one micro-dollar each. */
const reservation = 6_000;

async function endedBy(...events: ModelEvent[]): Promise<{ spent: number; held: number }> {
  const account = accountWith({ microUsd: 100_000 });
  const model = heldModel();
  const asked = ask(model, account, requestOf(4_000));
  await settled();
  model.sent[0]?.push(...events);
  await asked.done;
  const { spent, held } = { spent: account.spent.microUsd, held: account.held.microUsd };
  expect(await mayStillSpend(account, model)).toBe(100_000 - spent - held);
  return { spent, held };
}

async function spentBy(...events: ModelEvent[]): Promise<number> {
  const { spent, held } = await endedBy(...events);
  expect(held).toBe(0);
  return spent;
}

/** What a request is given that wants all there is: shows that nothing is left reserved. */
async function mayStillSpend(account: Account, model: ReturnType<typeof heldModel>): Promise<number> {
  ask(model, account, requestOf(1_000_000));
  await settled();
  return (model.sent.at(-1)?.request.maxOutputTokens ?? 0) + 2_000;
}

const started: ModelEvent = { type: 'response_started', id: 'a', model: 'model' };
const textBegun: ModelEvent = { type: 'block_started', index: 0, block: { type: 'text', text: '' } };
const thinkingBegun: ModelEvent = {
  type: 'block_started',
  index: 0,
  block: { type: 'thinking', thinking: '' },
};
const words = (text: string): ModelEvent => ({
  type: 'block_delta',
  index: 0,
  delta: { type: 'text', text },
});

test('G1: a stream cut without usage keeps its reservation held, and nothing of it is spent', async () => {
  const held = { spent: 0, held: reservation };
  expect(await endedBy(started, textBegun, words('half'), failed('network'))).toEqual(held);
  expect(await endedBy(failed('network'))).toEqual(held);
  expect(await endedBy(started, failed('malformed'))).toEqual(held);
  expect(await endedBy(started, failed('overloaded'))).toEqual(held);
});

test('G1: a request that got no answer costs nothing', async () => {
  expect(await spentBy(failed('network', { unanswered: true }))).toBe(0);
  expect(await spentBy(failed('malformed', { unanswered: true }))).toBe(0);
});

test('a stream cut with usage costs what the provider had counted', async () => {
  const usage = { input_tokens: 400, cache_read_input_tokens: 600, output_tokens: 50 };
  expect(await spentBy(started, textBegun, words('half'), failed('network', { usage }))).toBe(1_050);
});

test('what had come counts, where the provider had counted less', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 1 };
  const events = [started, textBegun, words('x'.repeat(700)), failed('aborted', { usage })];
  expect(await spentBy(...events)).toBe(1_700);
});

test('thinking that did not come to its end holds the rest: nothing of it need have been seen', async () => {
  const usage = { input_tokens: 1_000, output_tokens: 1 };
  expect(await endedBy(started, thinkingBegun, failed('network', { usage }))).toEqual({
    spent: 1_001,
    held: reservation - 1_001,
  });
});

test('what the provider refused costs nothing', async () => {
  expect(await spentBy(failed('rate_limited', { status: 429 }))).toBe(0);
  expect(await spentBy(failed('server', { status: 500 }))).toBe(0);
  expect(await spentBy(failed('overloaded'))).toBe(0);
  expect(await spentBy(failed('network', { unsent: true }))).toBe(0);
});

test('an answer that nobody counted holds its reservation, and costs nothing for certain', async () => {
  expect(await endedBy(started, ended({}))).toEqual({ spent: 0, held: reservation });
});

test('half a count is what it cost, and the rest is held', async () => {
  const answered = [started, textBegun, words('an answer')];
  const noOutput = await endedBy(...answered, ended({ input_tokens: 2_000 }));
  expect(noOutput).toEqual({ spent: 2_000, held: 4_000 });
  const noInput = await endedBy(...answered, ended({ output_tokens: 10 }));
  expect(noInput).toEqual({ spent: 10, held: reservation - 10 });
});

test('more than was reserved is counted as it is', async () => {
  expect(await spentBy(started, ended({ input_tokens: 9_000, output_tokens: 1 }))).toBe(9_001);
});

test('whoever stops listening leaves the reservation held', async () => {
  const account = accountWith({ microUsd: 100_000 });
  const model = heldModel();
  const stream = withBudget(model, account, { overrides: plainPrice }).stream(requestOf(4_000), never);
  const iterator = stream[Symbol.asyncIterator]();
  const first = iterator.next();
  await settled();
  model.sent[0]?.push(started);
  await first;
  await iterator.return?.();
  expect(account.spent.microUsd).toBe(0);
  expect(account.held.microUsd).toBe(reservation);
});

test('whoever stops listening while waiting pays nothing', async () => {
  const account = accountWith({ microUsd: 10_000 });
  const model = heldModel();
  const first = ask(model, account, requestOf(8_000));
  const stream = withBudget(model, account, { overrides: plainPrice }).stream(requestOf(4_000), never);
  const iterator = stream[Symbol.asyncIterator]();
  expect((await iterator.next()).value).toMatchObject({ type: 'request_waited' });
  await iterator.return?.();
  model.sent[0]?.end(0);
  await first.done;
  await settled();
  expect(model.sent).toHaveLength(1);
  expect(account.spent.microUsd).toBe(2_000);
});

test('G1: all attempts of a request together hold one reservation', async () => {
  const account = accountWith({ microUsd: reservation });
  const model = retrying(...Array.from({ length: 9 }, () => failed('network')));
  const asked = ask(model, account, requestOf(4_000));
  await asked.done;
  expect(asked.events.at(-1)?.type).toBe('response_ended');
  expect(model.attempts()).toBe(10);
  expect(account.spent.microUsd).toBe(2_010);
  expect(account.held.microUsd).toBe(reservation - 2_010);
});

test('a lost attempt that was counted is paid for, and the next one needs a reservation', async () => {
  const usage = { input_tokens: 2_000, output_tokens: 5 };
  const account = accountWith({ microUsd: reservation + 2_005 });
  await ask(retrying(failed('network', { usage })), account, requestOf(4_000)).done;
  expect(account.spent.microUsd).toBe(2_005 + 2_010);
  expect(account.held.microUsd).toBe(0);
});

test('a retry that cannot be paid for is not made', async () => {
  const usage = { input_tokens: 2_000, output_tokens: 5 };
  const account = accountWith({ microUsd: reservation + 2_004 });
  const model = retrying(failed('network', { usage }));
  const asked = ask(model, account, requestOf(4_000));
  await asked.done;
  expect(asked.events.at(-1)).toMatchObject({ failure: { kind: 'out_of_budget' } });
  expect(model.attempts()).toBe(1);
});

test('a retry of what was refused needs no more money', async () => {
  const account = accountWith({ microUsd: reservation });
  await ask(retrying(failed('rate_limited', { status: 429 })), account, requestOf(4_000)).done;
  expect(account.spent.microUsd).toBe(2_010);
});

test('a fallback is reserved for at the dearer price, and paid for at its own', async () => {
  const overrides = { ...plainPrice, 'test/dear': { input: 3, output: 3 } };
  const account = accountWith({ microUsd: 3 * (2_000 + 5_000) });
  const model = heldModel();
  const asked = ask(model, account, requestOf(32_000), { overrides, fallbacks: ['test/dear'] });
  await settled();
  expect(model.sent[0]?.request.maxOutputTokens).toBe(5_000);
  model.sent[0]?.push({ type: 'fallback_taken', from: 'test/model', to: 'test/dear', reason: 'a long wait' });
  model.sent[0]?.end(100);
  await asked.done;
  expect(account.spent.microUsd).toBe(3 * 2_100);
});

const never = new AbortController().signal;

/** A model that retries by itself, as a pacer below the budget does. */
function retrying(...lost: ModelEvent[]): Model & { attempts(): number } {
  let attempts = 0;
  return {
    ...heldModel(),
    attempts: () => attempts,
    async *stream() {
      for (const event of lost) {
        attempts++;
        if (event.type !== 'response_failed') continue;
        const { failure, usage } = event;
        yield {
          type: 'request_retried',
          attempt: attempts,
          delayMs: 1,
          failure,
          ...(usage ? { usage } : {}),
        };
      }
      attempts++;
      yield ended({ input_tokens: 2_000, output_tokens: 10 });
    },
  };
}
