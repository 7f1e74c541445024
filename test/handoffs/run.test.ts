import { expect, test } from 'bun:test';
import { builtInPatterns } from '../../src/handoffs/programs.ts';
import { runPattern } from '../../src/handoffs/run-pattern.ts';
import { handOffForScript } from '../../src/handoffs/script-handoff.ts';
import type { HandoffSetup } from '../../src/handoffs/setup.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { noUsage } from '../../src/protocol/index.ts';
import type { CallResult, WrittenCall } from '../../src/workflows/call-runner.ts';
import { readScript } from '../../src/workflows/read-script.ts';
import type { RunPort } from '../../src/workflows/run-port.ts';
import { runScript } from '../../src/workflows/run-script.ts';
import { countingRunner, hang, newRuns, openForTest } from '../workflows/ground.ts';
import { allPassed, answerByPhase, builtInSetup, fakeRun, validated, written } from './support.ts';

const usage = { ...noUsage, input_tokens: 100, output_tokens: 20 };

function answer({ prompt, options }: WrittenCall): CallResult {
  const explained = { ...validated, findings: {} };
  const value = options.label === 'validator' ? explained : answerByPhase({ prompt, ...options }).answer;
  return { kind: 'ended', outcome: 'ok', value, text: '', usage };
}

const task = { feature: 'Add a login.' };
const startChain = (run: RunPort, setup: HandoffSetup) =>
  runPattern(run, builtInPatterns.chain.build(), { task, setup });

test('HO3 a chain that was cut off in its writer continues there: research is not paid for again', async () => {
  const runs = newRuns();
  const setup = await builtInSetup({ checks: { run: async () => allPassed } });
  const started = Promise.withResolvers<void>();
  const first = countingRunner((call, conduct) => {
    if (call.options.label !== 'writer') return answer(call);
    started.resolve();
    return hang(call, conduct);
  });
  const { run } = await openForTest(runs, { runner: first });
  const program = startChain(run, setup);
  await started.promise;
  run.stop('cut off');
  expect(await program).toMatchObject({ outcome: 'interrupted' });
  await run.close({ ok: false, reason: 'cut off' });
  const second = countingRunner(answer);
  const again = await openForTest(runs, { runner: second, resume: run.id });
  const end = await startChain(again.run, setup);
  expect(end).toMatchObject({ outcome: 'complete', checked: true });
  expect(second.ran.map(({ earlier }) => earlier !== undefined)).toEqual([true, false]);
  expect(again.run.census.verdicts).toMatchObject({ REPLAYED: 1, EXECUTED: 2 });
  expect((await again.run.close({ ok: true, value: null })).status).toBe('completed');
});

test('HO4 checks of a finished round are not run again by a resumed run, and a later round is', async () => {
  const runs = newRuns();
  let checked = 0;
  const failing = { ...allPassed, tests: { passed: false, coverage: null, failures: ['login fails'] } };
  const setup = await builtInSetup({ checks: { run: async () => (++checked === 1 ? failing : allPassed) } });
  const { run } = await openForTest(runs, { runner: countingRunner(answer) });
  expect(await startChain(run, setup)).toMatchObject({ outcome: 'complete' });
  await run.close({ ok: true, value: null });
  expect(checked).toBe(2);
  const again = await openForTest(runs, { runner: countingRunner(answer), resume: run.id });
  expect(await startChain(again.run, setup)).toMatchObject({ outcome: 'complete' });
  expect(again.run.census.verdicts).toMatchObject({ REPLAYED: 5, EXECUTED: 0 });
  expect(checked).toBe(2);
  await again.run.close({ ok: true, value: null });
});

test('HO3 a script hands off by handoff(), and gets data', async () => {
  const text = `export const meta = { name: 't', description: 'd' };
const request = { task_id: 'a', phase: 'write', context: { feature: args }, instructions: 'Go.' };
const done = await handoff(request, { label: 'writer' });
const refused = await handoff({ ...request, history: [] });
return { files: done.response.findings.files_changed, refused: refused.errors };`;
  const script = readScript('t.js', text);
  if (!script.ok) throw new Error(script.problem.message);
  const setup = await builtInSetup();
  const end = await runScript(script.value, {
    args: 'Add a login.',
    functions: {
      handoff: (request, options) => handOffForScript(fakeRun(answerByPhase), setup, request, options),
    },
    ...{ clock: systemClock, signal: new AbortController().signal, maxCalls: 10 },
    spent: () => 0,
    phase() {},
    log() {},
  });
  expect(end).toEqual({
    ok: true,
    value: { files: written.findings.files_changed, refused: ['Unrecognized key: "history"'] },
  });
});
