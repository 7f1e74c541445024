import { expect, test } from 'bun:test';
import type { CheckDefinitions } from '../../src/checks/definitions.ts';
import { chain } from '../../src/handoffs/chain.ts';
import { phase } from '../../src/handoffs/phase.ts';
import { runPattern } from '../../src/handoffs/run-pattern.ts';
import { answerByPhase, builtInSetup, fakeRun, validated } from './support.ts';

const tests = { command: 'npm test', cwd: '/p', source: '/p/package.json scripts.test' };
const defined = (text: string): CheckDefinitions => ({
  tests: { ...tests, parts: { [tests.source]: text } },
});

/** A chain whose checks pass, and are defined like this before and after the writer. */
async function start(before: CheckDefinitions, after: CheckDefinitions, checks?: readonly ['lint']) {
  let isWritten = false;
  const run = fakeRun((call) => {
    isWritten ||= call.label === 'writer';
    return call.label === 'validator'
      ? { answer: { ...validated, findings: { explanations: [] } } }
      : answerByPhase(call);
  });
  const setup = {
    ...(await builtInSetup()),
    checks: {
      run: async () => ({ tests: { passed: true, coverage: null, failures: [] } }),
      define: async () => (isWritten ? after : before),
    },
  };
  const pattern = chain(phase('writer'), phase('validator', { checks }));
  const { outcome, issues } = await runPattern(run, pattern, { task: { feature: 'Do it.' }, setup });
  return { outcome, issues };
}

test('G12: a chain whose writer changed what a check does is not complete, however the check ends', async () => {
  expect(await start(defined('one'), defined('two'))).toEqual({
    outcome: 'partial',
    issues: ['validator: tests: /p/package.json scripts.test, which says what it does, was changed.'],
  });
  expect(await start(defined('one'), {})).toEqual({
    outcome: 'partial',
    issues: ['validator: tests: /p/package.json scripts.test named it at first, and does no longer.'],
  });
});

test('HO7: a check that the work added, or that the validator does not ask for, leaves a chain complete', async () => {
  const complete = { outcome: 'complete', issues: [] };
  expect(await start(defined('one'), defined('one'))).toMatchObject(complete);
  expect(await start({}, defined('one'))).toMatchObject(complete);
  expect(await start(defined('one'), defined('two'), ['lint'])).toMatchObject(complete);
});
