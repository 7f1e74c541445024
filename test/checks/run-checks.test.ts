import { expect, test } from 'bun:test';
import { toCheckFindings } from '../../src/checks/check-findings.ts';
import { findChecks } from '../../src/checks/find-checks.ts';
import { memoryProjectFiles } from '../../src/checks/project-files.ts';
import { type CommandRan, runChecks } from '../../src/checks/run-checks.ts';
import { manualClock } from '../../src/lib/clock.ts';

const jest = (total: number, failed: number) =>
  JSON.stringify({ numTotalTests: total, numFailedTests: failed, numPendingTests: 0, testResults: [] });

/** What the tests of a project with jest come to when the command ends like this. */
async function run(ran: CommandRan, files: Record<string, string> = {}) {
  const listing = memoryProjectFiles({ '/p/package.json': '{"scripts":{"test":"jest"}}', ...files }, 5);
  const report = await runChecks({
    found: findChecks({ cwd: '/p', root: '/p', listing }),
    only: ['tests'],
    port: { runCommand: async () => ran },
    listing,
    clock: manualClock(),
    signal: new AbortController().signal,
  });
  return report.tests;
}

test('HO7: a check passes by its exit code and its report together', async () => {
  expect(await run({ exitCode: 0, output: jest(3, 0) })).toMatchObject({ passed: true, tests: { run: 3 } });
  expect(await run({ exitCode: 1, output: jest(3, 0) })).toMatchObject({ passed: false });
  expect(await run({ exitCode: 0, output: jest(3, 1) })).toMatchObject({
    passed: false,
    problems: ['1 tests failed'],
  });
});

test('HO7: no test run is not a pass', async () => {
  expect(await run({ exitCode: 0, output: jest(0, 0) })).toMatchObject({
    passed: false,
    problems: ['no test was run'],
  });
});

test('HO7: without a report the exit code decides, whatever the output says', async () => {
  expect(await run({ exitCode: 0, output: '3 failed' })).toMatchObject({ passed: true, problems: [] });
  expect(await run({ exitCode: 2, output: 'all passed' })).toMatchObject({
    passed: false,
    problems: ['exit code 2: all passed'],
  });
  expect(await run({ exitCode: null, output: '', timedOut: true })).toMatchObject({ passed: false });
});

test('HO7: a check that was refused has not run, and says why', async () => {
  const tests = await run({ exitCode: null, output: '', refused: 'A rule denies it.' });
  expect(toCheckFindings(tests ? { tests } : {})).toEqual({
    tests: { passed: false, not_run: 'A rule denies it.', coverage: null, failures: [] },
  });
});

test('HO7: coverage comes from the report that the run wrote', async () => {
  const tests = await run({ exitCode: 0, output: jest(1, 0) }, { '/p/coverage/lcov.info': 'LF:4\nLH:3\n' });
  expect(tests?.coverage).toBe(75);
});
