import { expect, test } from 'bun:test';
import { aliasModels } from '../../src/models/facts.ts';
import { priceTable } from '../../src/models/prices.data.ts';
import { computeCost, lookUpPrice } from '../../src/models/prices.ts';
import { noUsage } from '../../src/protocol/index.ts';

test('a price is found by the longest beginning of provider and id', () => {
  expect(lookUpPrice('anthropic/claude-opus-5-5-20260901')).toMatchObject({ input: 4, output: 20 });
  expect(lookUpPrice('anthropic/claude-opus-5')).toMatchObject({ input: 5, output: 25 });
  expect(lookUpPrice('openai/gpt-4o-mini-2024-07-18')).toMatchObject({ input: 0.15, output: 0.6 });
  expect(lookUpPrice('openai/gpt-4o-2024-05-13')).toMatchObject({ input: 5, output: 15 });
  expect(lookUpPrice('google/gemini-3-pro-preview')).toMatchObject({ input: 2, output: 12 });
});

for (const unknown of [
  'anthropic/claude-opus-5-9',
  'openai/gpt-5.9',
  'openai/gpt-5-ultra',
  'ollama/llama3',
  'gpt-5',
])
  test(`nothing is claimed of ${unknown}`, () => {
    expect(lookUpPrice(unknown)).toBeUndefined();
  });

test('every alias has a price', () => {
  for (const id of Object.values(aliasModels)) expect(lookUpPrice(`anthropic/${id}`)).toBeDefined();
});

test('the table has each beginning once, and no figure that is no price', () => {
  const beginnings = priceTable.map(([beginning]) => beginning);
  expect(new Set(beginnings).size).toBe(beginnings.length);
  for (const [, figures, long] of priceTable)
    for (const figure of [...figures, ...(long?.figures ?? [])]) expect(figure).toBeGreaterThan(0);
});

test('modelPricing comes before the table, its longest beginning first; what it leaves out costs as input', () => {
  const overrides = {
    'anthropic/': { input: 1, output: 2 },
    'anthropic/claude-opus-5': { input: 7, output: 8, cacheRead: 0.5, cacheWrite: 9 },
  };
  expect(lookUpPrice('anthropic/claude-opus-5-5', overrides)).toMatchObject({
    input: 7,
    cacheRead: 0.5,
    cacheWrite: 9,
  });
  expect(lookUpPrice('anthropic/claude-haiku-4-5', overrides)).toMatchObject({
    input: 1,
    output: 2,
    cacheRead: 1,
    cacheWrite: 1,
  });
  expect(lookUpPrice('openai/gpt-5', overrides)).toMatchObject({ input: 1.25 });
});

test('a price of nothing is known', () => {
  const price = lookUpPrice('ollama/llama3', { 'ollama/': { input: 0, output: 0 } });
  expect(price && computeCost({ ...noUsage, input_tokens: 1_000_000 }, price)).toBe(0);
});

test('every class of token has its price, in whole micro-dollars', () => {
  const price = lookUpPrice('anthropic/claude-sonnet-5-5');
  const usage = {
    input_tokens: 1_000,
    output_tokens: 100,
    cache_read_input_tokens: 10_000,
    cache_creation_input_tokens: 2_000,
  };
  expect(price && computeCost(usage, price)).toBe(1_000 * 2 + 100 * 10 + 10_000 * 0.2 + 2_000 * 2.5);
  expect(price && computeCost(usage, price, 'hour')).toBe(1_000 * 2 + 100 * 10 + 10_000 * 0.2 + 2_000 * 4);
  expect(price && computeCost({ ...noUsage, cache_read_input_tokens: 1 }, price)).toBe(1);
});

test('a long prompt costs more for the whole request where the provider says so', () => {
  const price = lookUpPrice('anthropic/claude-haiku-5-5');
  expect(price && computeCost({ ...noUsage, input_tokens: 100_000, output_tokens: 1_000 }, price)).toBe(
    10_500,
  );
  expect(price && computeCost({ ...noUsage, input_tokens: 100_001, output_tokens: 1_000 }, price)).toBe(
    52_501,
  );
});

test('prices that are no binary fractions add up without drift', () => {
  const price = lookUpPrice('x/y', { 'x/y': { input: 0.1, output: 0.3 } });
  expect(price && computeCost({ ...noUsage, input_tokens: 3_000_000, output_tokens: 1_000_000 }, price)).toBe(
    600_000,
  );
});
