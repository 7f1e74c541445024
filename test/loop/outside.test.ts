import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/lib/clock.ts';
import type { Outcome } from '../../src/protocol/index.ts';
import type { Turn } from '../../src/testing/index.ts';
import { askUserQuestionTool } from '../../src/tools/ask-user-question.ts';
import { outputTool } from '../../src/tools/structured-output/synthetic-output.ts';
import { webFetchTool } from '../../src/tools/web/web-fetch.ts';
import { play, resultsOf, type StageOptions, stage } from './support.ts';

const use = (name: string, input: Record<string, unknown>): Turn => ({
  blocks: [{ type: 'tool_use', id: `toolu_${name}`, name, input }],
});

async function resultOf(turn: Turn, options: StageOptions) {
  const { agent, prompt } = stage([turn, 'done'], options);
  prompt('go');
  const { events } = await play({ ...agent, clock: systemClock });
  return resultsOf(events)[0];
}

describe('questions to the user', () => {
  const questions = [{ question: 'Which?', header: 'W', options: [{ label: 'A' }, { label: 'B' }] }];
  const answers = { 'Which?': 'B' };
  const tools = [askUserQuestionTool];

  test('the answer comes as a change to the input, in every mode', async () => {
    const result = await resultOf(use('AskUserQuestion', { questions }), {
      tools,
      permissions: { mode: 'bypassPermissions' },
      answer: () => ({ behaviour: 'allow', input: { questions, answers } }),
    });
    expect(result).toMatchObject({ isError: false, text: 'The user answered:\n\nWhich?\n→ B' });
  });

  test('the model cannot answer itself', async () => {
    const result = await resultOf(use('AskUserQuestion', { questions, answers }), {
      tools,
      answer: () => ({ behaviour: 'allow' }),
    });
    expect(result?.isError).toBe(true);
  });

  test('where nobody is there it is denied', async () => {
    expect((await resultOf(use('AskUserQuestion', { questions }), { tools }))?.text).toContain(
      'Permission denied',
    );
  });
});

test('a private address is fetched when a person allowed it, not when nobody was asked', async () => {
  const server = createServer((_request, response) => response.end('local'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const turn = use('WebFetch', { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  const tools = [webFetchTool({ environment: {} })];
  const answer = () => ({ behaviour: 'allow' as const });
  expect((await resultOf(turn, { tools, answer }))?.text).toEndWith('local');
  const skipped = await resultOf(turn, { tools, permissions: { mode: 'bypassPermissions' } });
  expect(skipped?.text).toContain('private network');
  server.close();
});

describe('an answer in a given form', () => {
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  const give = (input: Record<string, unknown>) => use('SyntheticOutput', input);
  const cases: [name: string, turns: Turn[], expected: Partial<Outcome>][] = [
    ['ends the run', [give({ a: 1 })], { kind: 'completed', output: { a: 1 }, turns: 1 }],
    ['is asked for once more', ['done', give({ a: 2 })], { kind: 'completed', output: { a: 2 }, turns: 2 }],
    ['fails when it never comes', ['done', 'still done'], { kind: 'failed', outputMissing: true, turns: 2 }],
    ['is mended once', [give({}), give({ a: 3 })], { kind: 'completed', output: { a: 3 } }],
    ['fails when it is wrong twice', [give({}), give({ a: 'x' })], { kind: 'failed', outputMissing: true }],
  ];
  for (const [name, turns, expected] of cases)
    test(name, async () => {
      const output = outputTool(schema);
      if (!output.ok) throw new Error(output.problem.message);
      const { agent, prompt } = stage(turns, { tools: [output.value.tool] });
      prompt('go');
      expect((await play({ ...agent, output: output.value })).outcome).toMatchObject(expected);
    });
});
