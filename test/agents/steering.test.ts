import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Glob } from 'bun';
import { findSteering } from '../../src/lib/text/steering.ts';

/** Reports of agents, parted by lines of `===`. */
function readReports(name: string): string[] {
  const text = readFileSync(join(import.meta.dir, 'reports', name), 'utf8');
  return text.split(/^=== *$/m).map((report) => report.trim());
}

function countWarned(reports: readonly string[]): number {
  return reports.filter((report) => findSteering(report).length > 0).length;
}

test('NT4 ordinary reports are not warned of, though they speak of users, systems, tokens and instructions', () => {
  const reports = readReports('ordinary.txt');
  expect(reports.length).toBeGreaterThanOrEqual(40);
  expect(countWarned(reports)).toBeLessThanOrEqual(1);
});

test('NT4 injected reports are warned of', () => {
  const reports = readReports('injected.txt');
  expect(reports.length).toBeGreaterThanOrEqual(40);
  expect(countWarned(reports)).toBe(reports.length);
});

test('NT4 the pages of the packages that we use are ordinary text: at most one section in a thousand is warned of', () => {
  const root = join(import.meta.dir, '../../node_modules');
  const sections = [...new Glob('*/{README,CHANGELOG}.md').scanSync({ cwd: root })]
    .flatMap((file) => readFileSync(join(root, file), 'utf8').split(/^#+ /m))
    .filter((section) => section.length > 80);
  expect(sections.length).toBeGreaterThan(500);
  expect(countWarned(sections)).toBeLessThanOrEqual(sections.length / 1_000);
});
