/** What runners print of the tests that they ran, each as a number in a line of its own kind. Skipped ones are not among them. */
const counts: readonly RegExp[] = [
  // node --test, and TAP of others
  /^(?:ℹ|#) (?:pass|fail) (\d+)$/gm,
  // cargo, deno
  /^test result: \w+\. (\d+) passed/gm,
  /\b(\d+) passed \|/gm,
  /\b(\d+) failed[;|,]/gm,
  // pytest, jest, vitest, PHPUnit's newer lines
  /\b(\d+) (?:passed|failed)\b/gm,
  // mocha, bun
  /^ *(\d+) (?:passing|failing|pass|fail)\b/gm,
  // unittest, and JUnit by Maven: "Tests run: 3, Failures: 0"
  /^Ran (\d+) tests? in /gm,
  /\bTests run: (\d+)/gm,
  // .NET
  /^ *(?:Passed|Failed): +(\d+)/gm,
];

/** Words of runners, and of make, that had nothing to run. */
const nothing: readonly RegExp[] = [
  /^No tests? (?:files? )?found\b/m,
  /^=* *no tests ran\b/m,
  /^NO TESTS RAN$/m,
  /\[no test files\]|testing: warning: no tests to run/,
  /^No test is available in /m,
  /^make(?:\[\d+\])?: (?:'[^']*' is up to date\.|Nothing to be done for '[^']*'\.)$/m,
  /^> Task :\S*test\S* (?:NO-SOURCE|SKIPPED)$/im,
];

/**
 * Whether the output says that no test ran: every number in it is 0, or the runner says so. An output that says neither is not
 * judged, so this never makes a run out to be more than its exit code.
 */
export function saysNoTestRan(output: string): boolean {
  const plain = withoutColours(output);
  const numbers = counts.flatMap((pattern) => [...plain.matchAll(pattern)].map(([, count]) => Number(count)));
  if (numbers.some((count) => count > 0)) return false;
  // Of several packages, one may have no tests: those that ran say nothing countable with "go test" but "ok".
  if (/^ok\s+[\w.@~/-]+\s+(?:\d|\(cached\))(?!.*\[no tests to run\])/m.test(plain)) return false;
  return numbers.length > 0 || nothing.some((pattern) => pattern.test(plain));
}

/** What runners print when they end, each a whole line: names of tests may hold the same words. */
const failures: readonly RegExp[] = [
  // node --test, bun, mocha
  /^(?:ℹ|#) fail [1-9]\d*$/m,
  /^ *[1-9]\d* fail(?:ing)?$/m,
  // TAP; a test that is still to be written may fail
  /^not ok\b(?!.*# (?:todo|skip)\b)/im,
  // jest and vitest
  /^ *Tests:? +(?:\d+ \w+, )*[1-9]\d* failed\b/m,
  // cargo, deno
  /^test result: FAILED\./m,
  /^FAILED \| \d+ passed/m,
  // pytest, unittest
  /^=+ (?:.*, )?[1-9]\d* (?:failed|errors?)\b.* in [\d.]+s\b.*=+$/m,
  /^FAILED \((?:failures|errors)=/m,
  // go
  /^(?:--- FAIL: |FAIL(?:\t|$))/m,
  // JUnit by Maven, .NET, PHPUnit
  /\bTests run: \d+, (?:Failures: [1-9]|Failures: 0, Errors: [1-9])/,
  /^ *Failed: +[1-9]/m,
  /^(?:FAILURES|ERRORS)!$/m,
];

/** Whether the output says that a test failed, as under a script that hides the exit code of its runner. */
export function saysTestFailed(output: string): boolean {
  const plain = withoutColours(output);
  return failures.some((pattern) => pattern.test(plain));
}

function withoutColours(output: string): string {
  return output.replace(/\u001b\[[\d;]*m/g, '').replaceAll('\r\n', '\n');
}
