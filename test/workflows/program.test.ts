import { expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { prepareScript } from '../../src/workflows/program.ts';
import { readScript } from '../../src/workflows/read-script.ts';
import type { WorkflowRun } from '../../src/workflows/run.ts';
import { countingRunner, endWell, newRuns, openForTest } from './ground.ts';

function execute(run: WorkflowRun, body: string, maxCalls = 100) {
  const script = readScript(
    'test.js',
    `export const meta = { name: 'test', description: 'A test.' };\n${body}`,
  );
  if (!script.ok) throw new Error(script.problem.message);
  return prepareScript(script.value, undefined).execute(run, {
    ...{ clock: systemClock, maxCalls, functions: {} },
    hold: (isHeld) => run.hold(isHeld),
  });
}

test('TS6 calls that a script did not wait for run to their end, however many', async () => {
  const scriptEnded = Promise.withResolvers<void>();
  const runner = countingRunner(async (call) => {
    await scriptEnded.promise;
    return endWell(call);
  });
  const { run } = await openForTest(newRuns(), {
    runner,
    limits: { maxConcurrent: 4, maxCalls: 100, askAboveAgents: 50 },
  });
  const end = await execute(run, "for (let i = 0; i < 30; i++) agent('p' + i); return 'left'");
  scriptEnded.resolve();
  expect(await run.close(end)).toMatchObject({
    status: 'completed',
    value: 'left',
    census: { outcomes: { ok: 30 } },
  });
});

test('TS6 a script that throws after making calls starts none of them', async () => {
  const runner = countingRunner();
  const { run } = await openForTest(newRuns(), { runner });
  const end = await execute(run, "for (let i = 0; i < 30; i++) agent('p' + i); throw new Error('no')");
  expect(await run.close(end)).toMatchObject({
    status: 'failed',
    census: { outcomes: { interrupted: 30 }, verdicts: { HALTED: 30 } },
  });
  expect(runner.ran).toEqual([]);
});

test('TS6 a run whose script made too many calls is partial, whatever became of the error', async () => {
  const { run, changes } = await openForTest(newRuns(), {
    limits: { maxConcurrent: 4, maxCalls: 10, askAboveAgents: 50 },
  });
  const end = await execute(
    run,
    "return (await parallel(Array.from({ length: 12 }, (_, i) => () => agent('p' + i)))).length",
    10,
  );
  expect(await run.close(end)).toMatchObject({
    status: 'partial',
    value: 12,
    census: { outcomes: { ok: 10, refused: 2 } },
  });
  expect(changes).toContainEqual({
    type: 'log',
    text: '2 calls were refused: A run may make at most 10 calls (the setting workflows.maxCalls).',
  });
});
