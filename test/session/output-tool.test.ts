import { expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import type { SessionOptions } from '../../src/session/options.ts';
import { call, say, type Turn, toolResultText } from '../../src/testing/index.ts';
import { open, place } from './support.ts';

const outputSchema = {
  type: 'object',
  properties: { done: { type: 'boolean' } },
  required: ['done'],
} as const;

async function handIn(turns: Turn[], options: SessionOptions) {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const { session, model, prompt } = await open(at, turns, { outputSchema, ...options });
  const outcome = await prompt('Do it.');
  await session.close();
  return { outcome, model };
}

const reader = { description: 'Reads.', prompt: 'You read.', tools: ['Read'] };

test('TF3 an agent with a list of tools hands in its answer by the output tool', async () => {
  const { outcome } = await handIn([call('SyntheticOutput', { done: true })], {
    agent: 'reader',
    agents: { reader },
  });
  expect(outcome).toMatchObject({ kind: 'completed', output: { done: true } });
});

test('TF3 an agent whose definition disallows every other tool hands in its answer', async () => {
  const { outcome } = await handIn([call('SyntheticOutput', { done: true })], {
    agent: 'reader',
    agents: { reader: { ...reader, disallowedTools: ['SyntheticOutput', 'Bash'] } },
  });
  expect(outcome).toMatchObject({ kind: 'completed', output: { done: true } });
});

test('G8 an answer that a rule refuses to take ends the run after the second attempt, with the reason', async () => {
  const { outcome, model } = await handIn(
    [1, 2, 3].map(() => call('SyntheticOutput', { done: true })),
    { disallowedTools: ['SyntheticOutput'] },
  );
  expect(outcome).toMatchObject({ kind: 'failed', outputMissing: true });
  expect(outcome.reason).toContain('SyntheticOutput');
  expect(model.requests.length).toBe(2);
});

test('G8 an answer that a hook refuses to take ends the run after the second attempt', async () => {
  const refusing = [
    { matcher: 'SyntheticOutput', run: async () => ({ decision: 'block', reason: 'Not today.' }) },
  ];
  const { outcome, model } = await handIn(
    [1, 2, 3].map(() => call('SyntheticOutput', { done: true })),
    { hooks: { PreToolUse: refusing } },
  );
  expect(outcome).toMatchObject({ kind: 'failed', outputMissing: true });
  expect(outcome.reason).toContain('Not today.');
  expect(model.requests.length).toBe(2);
});

test('an answer that is refused once and then taken completes the run', async () => {
  let asked = 0;
  const refusing = [
    {
      matcher: 'SyntheticOutput',
      run: async () => (asked++ === 0 ? { decision: 'block', reason: 'Say it again.' } : {}),
    },
  ];
  const { outcome } = await handIn(
    [
      call('SyntheticOutput', { done: false }),
      (request) =>
        toolResultText(request).includes('Say it again.')
          ? call('SyntheticOutput', { done: true })
          : say('lost'),
    ],
    { hooks: { PreToolUse: refusing } },
  );
  expect(outcome).toMatchObject({ kind: 'completed', output: { done: true } });
});
