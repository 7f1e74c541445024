import { z } from 'zod';
import { parseJson } from '../../lib/fields/parse-json.ts';
import type { ParsedReport } from '../types.ts';
import { findElements, parseXml } from './xml.ts';

/** JUnit's XML, as most runners write it. Undefined where the text is none. */
export function readJunit(text: string): ParsedReport | undefined {
  const start = text.search(/<\?xml|<testsuites?[\s>]/);
  const end = text.lastIndexOf('</testsuite');
  if (start === -1) return undefined;
  // Runners print around it when it goes to their output.
  const close = end === -1 ? text.lastIndexOf('>') : text.indexOf('>', end);
  const parsed = parseXml(text.slice(start, close + 1));
  if (!parsed.ok || !/^testsuites?$/.test(parsed.value.name)) return undefined;
  const tests = { run: 0, failed: 0, skipped: 0 };
  const problems: string[] = [];
  for (const { attributes, children } of findElements(parsed.value, 'testcase')) {
    const fault = children.find(({ name }) => name === 'failure' || name === 'error');
    const name = [attributes.classname, attributes.name].filter(Boolean).join(' › ');
    if (children.some((child) => child.name === 'skipped')) tests.skipped++;
    else tests.run++;
    if (!fault) continue;
    tests.failed++;
    problems.push(join(name, fault.attributes.message || fault.text.trim()));
  }
  // A file that could not be loaded has an error and no test.
  for (const { children, attributes } of findElements(parsed.value, 'testsuite'))
    for (const fault of children.filter(({ name }) => name === 'error' || name === 'failure')) {
      tests.failed++;
      problems.push(join(attributes.name ?? '', fault.attributes.message || fault.text.trim()));
    }
  return { problems, tests };
}

/** The Test Anything Protocol. Subtests count by the line of their parent. */
export function readTap(text: string): ParsedReport | undefined {
  if (!/^(?:TAP version \d+|1\.\.\d+|(?:not )?ok\b)/m.test(text)) return undefined;
  const tests = { run: 0, failed: 0, skipped: 0 };
  const problems: string[] = [];
  let planned: number | undefined;
  let points = 0;
  for (const line of text.split('\n')) {
    const plan = /^1\.\.(\d+)/.exec(line);
    if (plan) planned = Number(plan[1]);
    if (line.startsWith('Bail out!')) problems.push(line.trim());
    const point = /^(not )?ok\b\s*\d*\s*-?\s*(.*?)(?:\s+#\s*(skip|todo)\b.*)?$/i.exec(line);
    if (!point) continue;
    points++;
    if (point[3]) tests.skipped++;
    else tests.run++;
    if (!point[1] || point[3]) continue;
    tests.failed++;
    problems.push(point[2] || `test ${points}`);
  }
  if (planned !== undefined && planned !== points) problems.push(`planned ${planned} tests, ran ${points}`);
  return { problems, tests };
}

const jestSchema = z.object({
  numTotalTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number().default(0),
  numTodoTests: z.number().default(0),
  testResults: z
    .array(
      z.object({
        name: z.string().default(''),
        message: z.string().default(''),
        status: z.string().optional(),
        assertionResults: z
          .array(
            z.object({
              fullName: z.string().default(''),
              status: z.string(),
              failureMessages: z.array(z.string()).nullish(),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

/** `jest --json` and `vitest --reporter=json`. */
export function readJest(text: string): ParsedReport | undefined {
  const parsed = jestSchema.safeParse(findJson(text));
  if (!parsed.success) return undefined;
  const { numTotalTests, numFailedTests, numPendingTests, numTodoTests, testResults } = parsed.data;
  const skipped = numPendingTests + numTodoTests;
  const problems = testResults.flatMap(({ name, message, status, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [join(name, message)] : [];
    return failed.map(({ fullName, failureMessages }) => join(fullName, failureMessages?.[0] ?? ''));
  });
  const tests = { run: numTotalTests - skipped, failed: Math.max(numFailedTests, problems.length), skipped };
  return { problems, tests };
}

const mochaSchema = z.object({
  stats: z.object({ tests: z.number(), failures: z.number(), pending: z.number() }),
  failures: z
    .array(z.object({ fullTitle: z.string(), err: z.object({ message: z.string().default('') }) }))
    .default([]),
});

export function readMocha(text: string): ParsedReport | undefined {
  const parsed = mochaSchema.safeParse(findJson(text));
  if (!parsed.success) return undefined;
  const { stats, failures } = parsed.data;
  return {
    problems: failures.map(({ fullTitle, err }) => join(fullTitle, err.message)),
    tests: { run: stats.tests - stats.pending, failed: stats.failures, skipped: stats.pending },
  };
}

const goEvent = z.object({
  Action: z.string(),
  Package: z.string().default(''),
  Test: z.string().optional(),
  Output: z.string().optional(),
});

/** `go test -json`: one event a line. */
export function readGoTest(text: string): ParsedReport | undefined {
  const tests = { run: 0, failed: 0, skipped: 0 };
  const problems: string[] = [];
  const said = new Map<string, string>();
  let isAny = false;
  for (const line of text.split('\n')) {
    const parsed = goEvent.safeParse(parseJson(line));
    if (!parsed.success) continue;
    isAny = true;
    const { Action, Package, Test, Output } = parsed.data;
    const key = `${Package} ${Test ?? ''}`;
    if (Action === 'output') said.set(key, `${said.get(key) ?? ''}${Output ?? ''}`.slice(-2_000));
    if (Action === 'fail') problems.push(join(Test ? `${Package} ${Test}` : Package, said.get(key) ?? ''));
    if (Test === undefined) continue;
    if (Action === 'pass' || Action === 'fail') tests.run++;
    if (Action === 'fail') tests.failed++;
    if (Action === 'skip') tests.skipped++;
  }
  return isAny ? { problems, tests } : undefined;
}

/** The summaries that `cargo test` prints, one for each binary. */
export function readCargoTest(text: string): ParsedReport | undefined {
  const tests = { run: 0, failed: 0, skipped: 0 };
  const found = [...text.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm)];
  if (found.length === 0) return undefined;
  for (const [, passed, failed, ignored] of found) {
    tests.run += Number(passed) + Number(failed);
    tests.failed += Number(failed);
    tests.skipped += Number(ignored);
  }
  const problems = [...text.matchAll(/^test (.+) \.\.\. FAILED$/gm)].map(([, name = '']) => name);
  return { problems, tests };
}

/** Runners print lines around their JSON: from the first line that begins with a brace to the last that ends with one. */
export function findJson(text: string): unknown {
  const direct = parseJson(text.trim());
  if (direct !== undefined) return direct;
  const start = text.search(/^[{[]/m);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return start === -1 || end < start ? undefined : parseJson(text.slice(start, end + 1));
}

export function join(name: string, message: string): string {
  return message === '' ? name : `${name}: ${message}`;
}
