import { expect, test } from 'bun:test';
import { saysNoTestRan, saysTestFailed } from '../../src/receipts/tests-ran.ts';

const none: [runner: string, output: string][] = [
  ['node --test', 'ℹ tests 0\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\n'],
  ['node --test, all skipped', '# tests 1\n# pass 0\n# fail 0\n# skipped 1\n'],
  [
    'unittest',
    '\n----------------------------------------------------------------------\nRan 0 tests in 0.000s\n\nOK\n',
  ],
  ['pytest', '============ no tests ran in 0.01s ============'],
  [
    'cargo',
    'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n',
  ],
  ['jest', 'No tests found, exiting with code 0'],
  ['vitest', 'No test files found, exiting with code 0'],
  ['mocha', '\n  0 passing (1ms)\n'],
  ['go', '?   \texample.com/a\t[no test files]\n'],
  [
    'go, nothing selected',
    'testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.002s [no tests to run]\n',
  ],
  ['maven', '[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0'],
  ['bun', ' 0 pass\n 0 fail\n'],
  ['deno', 'ok | 0 passed | 0 failed (0ms)'],
  ['make', "make: 'test' is up to date.\n"],
  ['in colours', '\u001b[34mℹ pass 0\u001b[39m\n\u001b[34mℹ fail 0\u001b[39m\n'],
];

const some: typeof none = [
  ['node --test', 'ℹ tests 2\nℹ pass 2\nℹ fail 0\n'],
  ['unittest', 'Ran 3 tests in 0.1s\n\nOK'],
  ['pytest', '====== 4 passed, 1 skipped in 0.10s ======'],
  [
    'cargo, documentation without tests',
    'test result: ok. 5 passed; 0 failed;\n\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed;',
  ],
  ['jest', 'Tests:       1 skipped, 7 passed, 8 total'],
  ['mocha', '  12 passing (8ms)\n'],
  ['go, one package without tests', 'ok  \texample.com/a\t0.012s\n?   \texample.com/b\t[no test files]\n'],
  ['go, cached', 'ok  \texample.com/a\t(cached)\n?   \texample.com/b\t[no test files]\n'],
  ['maven', 'Tests run: 3, Failures: 0\nTests run: 0, Failures: 0'],
  ['a script that says nothing', 'all good\n'],
  ['nothing at all', ''],
];

for (const [runner, output] of none)
  test(`HO8: ${runner} says that no test ran`, () => expect(saysNoTestRan(output)).toBe(true));

for (const [runner, output] of some)
  test(`HO8: ${runner} with tests, or without a word on them, does not`, () =>
    expect(saysNoTestRan(output)).toBe(false));

const failing: typeof none = [
  ['node --test', 'ℹ tests 2\nℹ pass 1\nℹ fail 1\n'],
  ['bun', ' 3 pass\n 1 fail\n'],
  ['mocha', '  2 passing (8ms)\n  1 failing\n'],
  ['TAP', 'ok 1 - a\nnot ok 2 - b\n'],
  ['jest', 'Tests:       1 failed, 7 passed, 8 total'],
  ['vitest', '      Tests  1 failed | 2 passed (3)'],
  ['cargo', 'test result: FAILED. 1 passed; 1 failed;'],
  ['deno', 'FAILED | 1 passed | 1 failed (2ms)'],
  ['pytest', '===== 1 failed, 4 passed in 0.10s ====='],
  ['unittest', 'Ran 3 tests in 0.1s\n\nFAILED (failures=1)'],
  ['go', '--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample.com/a\t0.002s\n'],
  ['maven', 'Tests run: 3, Failures: 1, Errors: 0, Skipped: 0'],
  ['in colours', '\u001b[34mℹ fail 2\u001b[39m\n'],
];

const passing: typeof none = [
  ...some,
  ['a test whose name speaks of failures', '(pass) prints 1 failed and not ok 2\n 1 pass\n 0 fail\n'],
  ['TAP of a test still to be written', 'ok 1\nnot ok 2 - later # todo\n'],
];

for (const [runner, output] of failing)
  test(`HO8: ${runner} says that a test failed`, () => expect(saysTestFailed(output)).toBe(true));

for (const [runner, output] of passing)
  test(`HO8: ${runner} does not say that a test failed`, () => expect(saysTestFailed(output)).toBe(false));
