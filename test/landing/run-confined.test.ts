import { expect, test } from 'bun:test';
import { runConfined } from '../../src/landing/run-confined.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { temporaryDirectory } from '../support/index.ts';

test('HO7 a check that writes its report to /dev/stdout can open it', async () => {
  const shell = { env: { PATH: '/usr/bin:/bin' }, clock: systemClock, rules: [] };
  const command = 'echo report > /dev/stdout && echo noise > /dev/stderr';
  const { path: cwd } = temporaryDirectory();
  const ran = await runConfined(shell, { command, cwd, timeoutMs: 30_000, maxOutput: 1_000 });
  if (!ran.ok) throw new Error(ran.problem.message);
  expect([ran.value.end.code, ran.value.output]).toEqual([0, 'report\nnoise\n']);
});
