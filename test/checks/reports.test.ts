import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCobertura, readLcov } from '../../src/checks/reports/coverage.ts';
import { readReport, recognizeReport } from '../../src/checks/reports/read-report.ts';
import { parseXml } from '../../src/checks/reports/xml.ts';
import type { ReportFormat } from '../../src/checks/types.ts';

/** What the tools themselves wrote about a test that passes, one that fails and one that is skipped. */
const sample = (name: string) => readFileSync(join(import.meta.dirname, 'samples', name), 'utf8');

const runners: [ReportFormat, string][] = [
  ['jest', 'jest.json'],
  ['jest', 'vitest.json'],
  ['mocha', 'mocha.json'],
  ['tap', 'node.tap'],
  ['junit', 'vitest.junit.xml'],
  ['junit', 'bun.junit.xml'],
  ['junit', 'pytest.txt'],
  ['cargo-test', 'cargo-test.txt'],
];

for (const [format, name] of runners)
  test(`HO7: ${name}: one test passed, one failed, one was skipped`, () => {
    const report = readReport(format, sample(name));
    expect(report?.tests).toEqual({ run: 2, failed: 1, skipped: 1 });
    expect(report?.problems).toHaveLength(1);
    expect(report?.problems[0]).toContain('fails');
  });

const linters: [ReportFormat, string, RegExp, number][] = [
  ['eslint', 'eslint.json', /^\/project\/src\/bad\.js:1:7: .*\(no-unused-vars\)$/, 3],
  ['sarif', 'eslint.sarif', /src\/bad\.js:1: no-unused-vars /, 3],
  ['ruff', 'ruff.json', /bad\.py:1:8: F401 /, 2],
  ['tsc', 'tsc.txt', /^bad\.ts\(1,7\): error TS2322: /, 1],
  ['mypy', 'mypy.txt', /^bad\.py:2: error: /, 1],
  ['cargo', 'cargo.jsonl', /mismatched types/, 1],
];

for (const [format, name, form, count] of linters)
  test(`HO7: ${name}: every problem with its place`, () => {
    const report = readReport(format, sample(name));
    expect(report?.problems).toHaveLength(count);
    expect(report?.problems.filter((problem) => form.test(problem))).toHaveLength(1);
  });

test('HO7: audits name the package and what is known about it', () => {
  const npm = { vulnerabilities: { minimist: { severity: 'critical', range: '<=0.2.3' } } };
  expect(readReport('npm-audit', JSON.stringify(npm))?.problems).toEqual(['minimist <=0.2.3: critical']);
  expect(readReport('npm-audit', '{"message":"405"}')).toBeUndefined();
  const pip = {
    dependencies: [
      { name: 'a', version: '1', vulns: [{ id: 'PYSEC-1' }] },
      { name: 'b', vulns: [] },
    ],
  };
  expect(readReport('pip-audit', JSON.stringify(pip))?.problems).toEqual(['a 1: PYSEC-1']);
});

test('HO7: go test -json: tests by name, with what a failing one printed', () => {
  const events = [
    { Action: 'run', Package: 'p', Test: 'TestA' },
    { Action: 'output', Package: 'p', Test: 'TestA', Output: 'a_test.go:3: wrong\n' },
    { Action: 'fail', Package: 'p', Test: 'TestA' },
    { Action: 'pass', Package: 'p', Test: 'TestB' },
    { Action: 'skip', Package: 'p', Test: 'TestC' },
    { Action: 'fail', Package: 'p' },
  ];
  const report = readReport('go-test', events.map((event) => JSON.stringify(event)).join('\n'));
  expect(report?.tests).toEqual({ run: 2, failed: 1, skipped: 1 });
  expect(report?.problems[0]).toContain('p TestA: a_test.go:3: wrong');
});

test('HO7: coverage is read from lcov and Cobertura, with its document type left out', () => {
  expect(readLcov(sample('lcov.info'))).toBe(readCobertura(sample('cobertura-coverage.xml')) ?? -1);
  expect(readLcov('SF:a\nend_of_record\n')).toBeUndefined();
  expect(readCobertura('<coverage line-rate="0.85"/>')).toBe(85);
});

test('HO7: a plan that TAP does not keep is a problem', () => {
  expect(readReport('tap', '1..3\nok 1 - a\nok 2 - b\n')?.problems).toEqual(['planned 3 tests, ran 2']);
});

test('HO7: a report is recognised behind the lines that npm, pnpm or yarn print, and TAP without its version', () => {
  const failing = 'not ok 1 - adds\n1..1\n';
  for (const before of [
    '',
    '\n> a@1.0.0 test\n> node t.js\n\n',
    '> a@1.0.0 test /w\n> sh t.sh\n',
    '$ node t.js\n',
  ])
    for (const text of [failing, `TAP version 13\n${failing}`])
      expect(recognizeReport(before + text)).toMatchObject({ tests: { run: 1, failed: 1 } });
});

test('HO7: what is not a report is none', () => {
  for (const [format] of runners) expect(readReport(format, 'all good, 12 passed')).toBeUndefined();
  expect(recognizeReport('ok, everything passed')).toBeUndefined();
});

test('XML with a document type, entities or unclosed elements is refused; nothing expands', () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>';
  expect(parseXml(bomb)).toMatchObject({ ok: false });
  expect(parseXml('<a>&b;&amp;&#65;</a>')).toMatchObject({ value: { text: '&b;&A' } });
  expect(parseXml('<a x="1 > 0"><![CDATA[<b>]]></a>')).toMatchObject({
    value: { attributes: { x: '1 > 0' }, text: '<b>' },
  });
  for (const text of ['<a>', '<a></b>', '</a>', '<a/><b/>', '<a', '', '<1/>'])
    expect(parseXml(text).ok).toBe(false);
  expect(parseXml('<a>'.repeat(100) + '</a>'.repeat(100)).ok).toBe(false);
  expect(parseXml('<a __proto__="x"/>').ok).toBe(true);
});
