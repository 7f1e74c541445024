import type { ProjectFiles } from './project-files.ts';

export const checkNames = ['types', 'lint', 'tests', 'security'] as const;
export type ProjectCheckName = (typeof checkNames)[number];

export function isCheckName(text: string): text is ProjectCheckName {
  return checkNames.some((name) => name === text);
}

/** The formats in which runners report what they found. */
export type ReportFormat =
  | 'jest'
  | 'eslint'
  | 'ruff'
  | 'cargo'
  | 'cargo-test'
  | 'cargo-audit'
  | 'go-test'
  | 'npm-audit'
  | 'pip-audit'
  | 'mocha'
  | 'deno-lint'
  | 'sarif'
  | 'junit'
  | 'tap'
  | 'tsc'
  | 'mypy';

/** A check of a project, and how to run it. */
export interface FoundCheck {
  name: ProjectCheckName;
  /** As a user would type it. */
  command: string;
  /** The same with the flags that make it report in `format`. */
  reporting?: { command: string; format: ReportFormat } | undefined;
  /** Where it runs. */
  cwd: string;
  /** The file and the entry that name it. */
  source: string;
  /** The texts in it that say what it does, by where each stands. */
  definition?: Readonly<Record<string, string>> | undefined;
  /** Files below `cwd` that it writes its report to, if it writes them anew: names may contain `*`. */
  reportFiles?: readonly string[] | undefined;
}

/** A check that was looked for: found, or why there is none. */
export type CheckLookup = FoundCheck | { name: ProjectCheckName; missing: string };

export type FoundChecks = Record<ProjectCheckName, CheckLookup>;

export function isFound(lookup: CheckLookup): lookup is FoundCheck {
  return 'command' in lookup;
}

/** What a report says, whatever its format. */
export interface ParsedReport {
  /** Each in a line: file, place, message. */
  problems: string[];
  /** Of a test run. */
  tests?: { run: number; failed: number; skipped: number } | undefined;
}

/** What one check came to. */
export interface CheckOutcome {
  name: ProjectCheckName;
  passed: boolean;
  /** Why it did not run to an end. */
  notRun?: string | undefined;
  command?: string | undefined;
  cwd?: string | undefined;
  source?: string | undefined;
  exitCode?: number | null | undefined;
  /** SHA-256 of its output. */
  output?: string | undefined;
  problems: string[];
  tests?: ParsedReport['tests'];
  /** Percent of lines, where the run wrote a coverage report. */
  coverage?: number | undefined;
  durationMs: number;
}

export type ProjectReport = Partial<Record<ProjectCheckName, CheckOutcome>>;

/** What one directory's files say about checks. */
export type Finder = (directory: string, listing: ProjectFiles, root: string) => FoundCheck[];
