import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { findFacts } from '../../src/models/facts.ts';
import { openSession } from '../../src/session/open.ts';
import type { SessionOptions } from '../../src/session/options.ts';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { follow, place } from './support.ts';

async function maxTokensSent(model: string, options: SessionOptions = {}): Promise<unknown> {
  await using provider = await fakeProvider({ script: [say('ok')] });
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const environment = { ...at.environment, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: provider.url };
  const opened = await openSession({ cwd: at.cwd, environment, model, sandbox: false, ...options });
  if (!opened.ok) throw new Error(opened.problem.message);
  const { session, prompt } = follow(opened.value, undefined as never);
  await prompt('Hi');
  await session.close();
  return provider.requests[0]?.json?.max_tokens;
}

test.each([
  ['claude-opus-5-5', 128_000],
  ['claude-sonnet-4-5', 64_000],
  ['claude-opus-4-1', 32_000],
  ['claude-3-haiku-20240307', 4_096],
])('max_tokens for %s is what it takes: %d', async (model, most) => {
  expect(await maxTokensSent(model)).toBe(most);
});

test('a session with a budget reserves its longest answers, so these have 32,000 tokens', async () => {
  expect(await maxTokensSent('claude-opus-5-5', { maxTokens: 10_000_000 })).toBe(32_000);
});

test.each([
  ['claude-3-5-haiku-20241022', 8_192],
  ['claude-3-5-sonnet-20241022', 8_192],
  ['claude-3-opus-20240229', 4_096],
  ['claude-3-7-sonnet-20250219', 64_000],
])('the longest answer of %s is known: %d', (id, most) => {
  expect(findFacts('anthropic', id)).toMatchObject({ maxOutput: most, known: true });
});
