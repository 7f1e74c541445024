import { expect, test } from 'bun:test';
import { checkBudget, convertCaps, formatUsd } from '../../src/models/budget/caps.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { accountWith, ask, background, failed, heldModel, requestOf, settled } from './budget-support.ts';

test('G1: what a request did not use is given back', async () => {
  const account = accountWith({ microUsd: 100_000 });
  const model = heldModel();
  const asked = ask(model, account, requestOf(10_000));
  await settled();
  model.sent[0]?.end(300);
  await asked.done;
  expect(account.spent).toEqual({ microUsd: 2_300, tokens: 2_300 });
});

test('G1: max_tokens is lowered to what fits', async () => {
  const model = heldModel();
  ask(model, accountWith({ microUsd: 2_000 + 5_000 }), requestOf(32_000));
  await settled();
  expect(model.sent[0]?.request.maxOutputTokens).toBe(5_000);
});

test('G1: it is lowered to 1,024 and no further', async () => {
  const model = heldModel();
  ask(model, accountWith({ microUsd: 2_000 + 1_024 }), requestOf(32_000));
  const refused = ask(model, accountWith({ microUsd: 2_000 + 1_023 }), requestOf(32_000));
  await refused.done;
  expect(model.sent.map((held) => held.request.maxOutputTokens)).toEqual([1_024]);
  expect(refused.events).toMatchObject([{ type: 'response_failed', failure: { kind: 'out_of_budget' } }]);
});

test('one that wants less than the floor needs no more than it wants', async () => {
  const model = heldModel();
  ask(model, accountWith({ microUsd: 2_000 + 100 }), requestOf(100));
  await settled();
  expect(model.sent[0]?.request.maxOutputTokens).toBe(100);
});

test('out of budget names the cap, what is spent and what was wanted', async () => {
  const account = accountWith({ microUsd: 6_000 });
  const model = heldModel();
  const first = ask(model, account, requestOf(3_000));
  await settled();
  model.sent[0]?.end(1_500);
  await first.done;
  const second = ask(model, account, requestOf(3_000));
  await second.done;
  expect(failureOf(second.events)).toBe(
    'Out of budget: $0.0035 of $0.0060 (--max-budget-usd) is spent, and the next request could cost $0.0030.',
  );
});

test('G1: a request waits while others have reservations open, and says why', async () => {
  const account = accountWith({ microUsd: 15_000 });
  const model = heldModel();
  ask(model, account, requestOf(10_000));
  const second = ask(model, account, requestOf(10_000));
  await settled();
  expect(model.sent).toHaveLength(1);
  expect(second.events).toEqual([
    {
      type: 'request_waited',
      reason: 'Waiting for the one open request to release the unused part of --max-budget-usd.',
      delayMs: 0,
    },
  ]);
  model.sent[0]?.end(10);
  await settled();
  expect(model.sent[1]?.request.maxOutputTokens).toBe(10_000);
});

test('it does not wait where enough for a comfortable answer fits', async () => {
  const account = accountWith({ microUsd: 2_000 + 32_000 + 2_000 + 9_000 });
  const model = heldModel();
  ask(model, account, requestOf(32_000));
  ask(model, account, requestOf(32_000));
  await settled();
  expect(model.sent.map((held) => held.request.maxOutputTokens)).toEqual([32_000, 9_000]);
});

test('G1: out of budget is not said while anybody may still give back', async () => {
  const account = accountWith({ microUsd: 14_000 });
  const model = heldModel();
  const first = ask(model, account, requestOf(10_000));
  const second = ask(model, account, requestOf(10_000));
  await settled();
  model.sent[0]?.end(10_000);
  await Promise.all([first.done, second.done]);
  expect(failureOf(second.events)).toContain('Out of budget: $0.0120 of $0.0140');
});

test('G1 out of budget because of held money says that it stays held, and what to do', async () => {
  const account = accountWith({ microUsd: 6_000 });
  const model = heldModel();
  const first = ask(model, account, requestOf(4_000));
  await settled();
  model.sent[0]?.push(failed('network'));
  await first.done;
  const second = ask(model, account, requestOf(4_000));
  await second.done;
  expect(failureOf(second.events)).toBe(
    'Out of budget: $0.0000 of $0.0060 (--max-budget-usd) is spent, $0.0060 is held for requests that ended without a token count, and the next request could cost $0.0030. Held money is not released in this session: resume it with a higher limit.',
  );
});

test('who came first goes first, also if a later one would fit', async () => {
  const account = accountWith({ microUsd: 20_000 });
  const model = heldModel();
  ask(model, account, requestOf(10_000));
  ask(model, account, requestOf(9_000));
  ask(model, account, requestOf(1_000));
  await settled();
  expect(outputs(model)).toEqual([10_000]);
  model.sent[0]?.end(0);
  await settled();
  expect(outputs(model)).toEqual([10_000, 9_000, 1_000]);
});

test('the foreground goes before the background', async () => {
  const account = accountWith({ microUsd: 13_000 });
  const model = heldModel();
  ask(model, account, requestOf(10_000));
  await settled();
  ask(model, account, requestOf(8_500, background()));
  ask(model, account, requestOf(8_600));
  await settled();
  model.sent[0]?.end(0);
  await settled();
  expect(outputs(model)).toEqual([10_000, 8_600]);
});

test('G1: what a child spends counts for everybody above it', async () => {
  const session = accountWith({ microUsd: 100_000 });
  const parent = session.child('parent');
  const child = parent.child('child');
  const model = heldModel();
  const asked = ask(model, child, requestOf(1_000));
  await settled();
  model.sent[0]?.end(500);
  await asked.done;
  for (const account of [session, parent, child]) expect(account.spent.microUsd).toBe(2_500);
});

test('G1: a child must fit into its own cap and into each above it', async () => {
  const session = accountWith({ microUsd: 100_000 });
  const parent = session.child('parent', { microUsd: 6_000 });
  const model = heldModel();
  ask(model, parent.child('child', { microUsd: 5_000 }), requestOf(32_000));
  ask(model, session.child('other', { microUsd: 4_000 }), requestOf(32_000));
  await settled();
  expect(outputs(model)).toEqual([3_000, 2_000]);
  const refused = ask(model, session.child('poor', { microUsd: 3_000 }), requestOf(32_000));
  await refused.done;
  expect(failureOf(refused.events)).toContain('the budget of agent poor');
});

test('who waits for its own cap keeps nobody else from passing', async () => {
  const session = accountWith({ microUsd: 100_000 });
  const narrow = session.child('narrow', { microUsd: 12_000 });
  const model = heldModel();
  ask(model, narrow, requestOf(10_000));
  const waiting = ask(model, narrow, requestOf(10_000));
  ask(model, session.child('free'), requestOf(7_000));
  await settled();
  expect(outputs(model)).toEqual([10_000, 7_000]);
  expect(waiting.events[0]).toMatchObject({ type: 'request_waited' });
});

test('G1: tokens are capped like money, and need no price', async () => {
  const account = accountWith({ tokens: 2_000 + 4_000 });
  const model = heldModel('nobody/knows');
  const first = ask(model, account, requestOf(32_000));
  await settled();
  expect(outputs(model)).toEqual([4_000]);
  model.sent[0]?.end(3_000);
  await first.done;
  const second = ask(model, account, requestOf(32_000));
  await second.done;
  expect(failureOf(second.events)).toBe(
    'Out of budget: 5,000 of 6,000 tokens (--max-tokens) are spent, and the next request could use 3,024.',
  );
});

test('the narrower of money and tokens counts', async () => {
  const model = heldModel();
  ask(model, accountWith({ microUsd: 9_000, tokens: 5_000 }), requestOf(32_000));
  ask(model, accountWith({ microUsd: 5_500, tokens: 9_000 }), requestOf(32_000));
  await settled();
  expect(outputs(model)).toEqual([3_000, 3_500]);
});

test('G1: no price known is the user’s to mend, by the setting’s name', () => {
  const caps = convertCaps({ maxBudgetUsd: 1 });
  expect(checkBudget(caps, 'anthropic/claude-sonnet-5-5')).toEqual({ ok: true, value: undefined });
  expect(checkBudget({ tokens: 5 }, 'ollama/llama3')).toEqual({ ok: true, value: undefined });
  const refused = checkBudget(caps, ['anthropic/claude-sonnet-5-5', 'ollama/llama3']);
  expect(refused).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  expect(!refused.ok && refused.problem.message).toContain('--max-budget-usd: the price of ollama/llama3');
  expect(!refused.ok && refused.problem.hint).toContain('modelPricing');
  expect(checkBudget(caps, 'ollama/llama3', { 'ollama/': { input: 0, output: 0 } }).ok).toBe(true);
});

test('a model without a price is not asked under a cap in money', async () => {
  const model = scriptedModel([], { id: 'nobody/knows' });
  const asked = ask(model, accountWith({ microUsd: 1_000_000 }), requestOf(1_000));
  await asked.done;
  expect(failureOf(asked.events)).toContain('the price of nobody/knows is unknown. Set it in modelPricing.');
  expect(model.requests).toEqual([]);
});

test('without a cap everything goes out as it is', async () => {
  const model = heldModel('nobody/knows');
  ask(model, accountWith({}), requestOf(32_000));
  ask(model, accountWith({}), requestOf(32_000));
  await settled();
  expect(outputs(model)).toEqual([32_000, 32_000]);
});

test('an abort while waiting ends the request and lets the next one pass', async () => {
  const account = accountWith({ microUsd: 20_000 });
  const model = heldModel();
  ask(model, account, requestOf(10_000));
  const second = ask(model, account, requestOf(9_000));
  ask(model, account, requestOf(5_000));
  await settled();
  second.abort();
  await second.done;
  expect(second.events.at(-1)).toMatchObject({ type: 'response_failed', failure: { kind: 'aborted' } });
  await settled();
  expect(outputs(model)).toEqual([10_000, 5_000]);
});

test('dollars become whole micro-dollars', () => {
  expect(convertCaps({ maxBudgetUsd: 0.29, maxTokens: 5 })).toEqual({ microUsd: 290_000, tokens: 5 });
  expect(convertCaps({})).toEqual({});
});

function outputs(model: ReturnType<typeof heldModel>): number[] {
  return model.sent.map((held) => held.request.maxOutputTokens);
}

function failureOf(events: readonly { type: string }[]): string {
  const last = events.at(-1);
  return last && 'failure' in last ? (last.failure as { message: string }).message : '';
}

test('a sum of money has as many digits as it takes to be told from nothing', () => {
  expect([0, 12, 900, 1_500, 12_345_678].map(formatUsd)).toEqual([
    ...['$0.0000', '$0.000012', '$0.000900', '$0.0015', '$12.35'],
  ]);
});
