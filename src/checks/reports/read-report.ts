import { basename, dirname, join } from 'node:path';
import type { ProjectFiles } from '../project-files.ts';
import type { ParsedReport, ReportFormat } from '../types.ts';
import * as findings from './findings.ts';
import * as tests from './tests.ts';

const readers: Record<ReportFormat, (text: string) => ParsedReport | undefined> = {
  jest: tests.readJest,
  mocha: tests.readMocha,
  junit: tests.readJunit,
  tap: tests.readTap,
  'go-test': tests.readGoTest,
  'cargo-test': tests.readCargoTest,
  eslint: findings.readEslint,
  ruff: findings.readRuff,
  cargo: findings.readCargo,
  'cargo-audit': findings.readCargoAudit,
  'npm-audit': findings.readNpmAudit,
  'pip-audit': findings.readPipAudit,
  'deno-lint': findings.readDenoLint,
  sarif: findings.readSarif,
  tsc: findings.readTsc,
  mypy: findings.readMypy,
};

/** Undefined where the text is not such a report: then the exit code is all there is. */
export function readReport(format: ReportFormat, text: string): ParsedReport | undefined {
  return readers[format](text);
}

/** What a command of the user's own printed: only forms that cannot be mistaken for another. */
export function recognizeReport(text: string): ParsedReport | undefined {
  const start = dropRunnerLines(text);
  if (/^(?:TAP version|1\.\.\d+\n|(?:not )?ok 1\b)/.test(start)) return tests.readTap(start);
  if (start.startsWith('<?xml') || start.startsWith('<testsuite')) return tests.readJunit(start);
  if (!start.startsWith('{')) return undefined;
  return tests.readJest(start) ?? findings.readSarif(start);
}

/** npm, pnpm and yarn print the script that they run before its output. */
function dropRunnerLines(text: string): string {
  return text.replace(/^(?:\s*(?:>|\$|yarn run) [^\n]*\n)+/, '').trimStart();
}

const maxFiles = 2_000;

/** JUnit files that a run wrote since, put together. */
export function readReportFiles(
  directory: string,
  patterns: readonly string[],
  since: number,
  listing: ProjectFiles,
): ParsedReport | undefined {
  const paths = patterns.flatMap((pattern) => expand(join(directory, pattern), listing)).slice(0, maxFiles);
  const read = paths.flatMap((path) => tests.readJunit(listing.readSince(path, since) ?? '') ?? []);
  if (read.length === 0) return undefined;
  const sum = (key: 'run' | 'failed' | 'skipped') =>
    read.reduce((total, one) => total + (one.tests?.[key] ?? 0), 0);
  return {
    problems: read.flatMap(({ problems }) => problems),
    tests: { run: sum('run'), failed: sum('failed'), skipped: sum('skipped') },
  };
}

/** `*` in the last part only. */
function expand(pattern: string, listing: ProjectFiles): string[] {
  const name = basename(pattern);
  if (!name.includes('*')) return [pattern];
  const [before = '', after = ''] = name.split('*');
  const isMatch = (one: string) => one.startsWith(before) && one.endsWith(after);
  return listing
    .names(dirname(pattern))
    .filter(isMatch)
    .map((one) => join(dirname(pattern), one));
}
