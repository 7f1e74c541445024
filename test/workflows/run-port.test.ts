import { describe, expect, test } from 'bun:test';
import { noUsage } from '../../src/protocol/index.ts';
import { memoryRun } from '../../src/workflows/memory-run.ts';
import type { RunPort } from '../../src/workflows/run-port.ts';
import { countingRunner, newRuns, openForTest } from './ground.ts';

const usage = { ...noUsage, input_tokens: 3 };

/** Both say `done` to everything but `bad`, and answer `blue`. */
const makers: Record<string, () => Promise<{ run: RunPort; stop(): void }>> = {
  async memoryRun() {
    const controller = new AbortController();
    const run = memoryRun({
      signal: controller.signal,
      answers: ['blue'],
      ends: ({ prompt }) =>
        prompt === 'bad' ? { outcome: 'failed', reason: 'broken' } : { text: 'done', value: 'done', usage },
    });
    return { run, stop: () => controller.abort('stopped') };
  },
  async openRun() {
    const runner = countingRunner(({ prompt }) =>
      prompt === 'bad'
        ? { kind: 'ended', outcome: 'failed', text: '', reason: 'broken', usage: noUsage }
        : { kind: 'ended', outcome: 'ok', value: 'done', text: 'done', usage },
    );
    const { run } = await openForTest(newRuns(), { runner, ask: async () => 'blue' });
    return { run, stop: () => run.stop('stopped') };
  },
};

for (const [name, make] of Object.entries(makers))
  describe(`TS8 ${name} as a port`, () => {
    test('a call ends with an outcome, a value and a verdict; a failure is an end', async () => {
      const { run } = await make();
      expect(await run.agent('good')).toMatchObject({ outcome: 'ok', value: 'done', verdict: 'EXECUTED' });
      const bad = await run.agent('bad');
      expect(bad).toMatchObject({ outcome: 'failed', reason: 'broken' });
      expect(bad.value).toBeUndefined();
      expect(run.spent().input_tokens).toBe(3);
    });

    test('what cannot be a call is refused', async () => {
      const { run } = await make();
      expect(await run.agent('')).toMatchObject({ outcome: 'refused' });
      const schema: Record<string, unknown> = {};
      schema.self = schema;
      expect(await run.agent('x', { schema })).toMatchObject({ outcome: 'refused' });
    });

    test('steps give their value, questions their answer', async () => {
      const { run } = await make();
      run.phase('look');
      run.log('a line');
      expect(await run.step({ name: 'sum', input: [1, 2], work: async () => 3 })).toBe(3);
      expect(await run.ask({ text: 'Which colour?', choices: ['blue', 'red'] })).toBe('blue');
    });

    test('a stopped run starts nothing', async () => {
      const { run, stop } = await make();
      stop();
      expect(run.signal.aborted).toBe(true);
      expect(await run.agent('good')).toMatchObject({ outcome: 'interrupted', verdict: 'HALTED' });
    });
  });
