import { expect, test } from 'bun:test';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toCheckFindings } from '../../src/checks/check-findings.ts';
import { findChecks } from '../../src/checks/find-checks.ts';
import { memoryProjectFiles, systemProjectFiles } from '../../src/checks/project-files.ts';
import { type CommandRan, runChecks } from '../../src/checks/run-checks.ts';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { temporaryDirectory } from '../support/index.ts';

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

/** What a project's tests come to when their command does this to its directory. */
async function runIn(root: string, act: () => void) {
  const listing = systemProjectFiles;
  writeFileSync(join(root, 'package.json'), '{"scripts":{"test":"sh t.sh"}}');
  const report = await runChecks({
    found: findChecks({ cwd: root, root, listing }),
    only: ['tests'],
    port: {
      async runCommand() {
        act();
        return { exitCode: 1, output: 'failed' };
      },
    },
    ...{ listing, clock: systemClock, signal: new AbortController().signal },
  });
  return report.tests;
}

const junit = (name: string) =>
  `<testsuites><testsuite><testcase name="${name}"><failure message="x"/></testcase></testsuite></testsuites>`;

test('HO7: a report that the run wrote is read', async () => {
  await using directory = temporaryDirectory();
  const { path } = directory;
  const tests = await runIn(path, () => writeFileSync(join(path, 'junit.xml'), junit('mine')));
  expect(tests?.problems).toEqual(['mine: x']);
});

test('HO7: a report behind a link is not read: the command may be confined, and the file closed to it', async () => {
  await using directory = temporaryDirectory();
  const { path } = directory;
  const [root, closed] = [join(path, 'project'), join(path, 'closed')];
  for (const made of [root, closed]) mkdirSync(made);
  for (const place of ['junit.xml', 'reports/junit.xml', 'coverage/lcov.info']) {
    const tests = await runIn(root, () => {
      const target = join(closed, place);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, place.endsWith('.xml') ? junit('closed') : 'LF:4\nLH:3\n');
      const [first = ''] = place.split('/');
      symlinkSync(join(closed, first), join(root, first));
    });
    expect([place, tests?.problems, tests?.coverage]).toEqual([place, ['exit code 1: failed'], undefined]);
  }
});

test('HO7: no report is read where a link took the place of the directory of the check', async () => {
  await using directory = temporaryDirectory();
  const { path } = directory;
  const [root, closed] = [join(path, 'project'), join(path, 'closed')];
  for (const made of [root, closed]) mkdirSync(made);
  writeFileSync(join(closed, 'junit.xml'), junit('closed'));
  const tests = await runIn(root, () => {
    renameSync(root, join(path, 'moved'));
    symlinkSync(closed, root);
  });
  expect(tests?.problems).toEqual(['exit code 1: failed']);
});
