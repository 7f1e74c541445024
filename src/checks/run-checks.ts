import type { Clock } from '../lib/clock.ts';
import { boundText } from '../lib/text/text.ts';
import { saysNoTestRan } from '../receipts/tests-ran.ts';
import type { CheckQueue } from './check-queue.ts';
import type { ProjectFiles } from './project-files.ts';
import { readCoverage } from './reports/coverage.ts';
import { readReport, readReportFiles, recognizeReport } from './reports/read-report.ts';
import {
  type CheckLookup,
  type CheckOutcome,
  checkNames,
  type FoundCheck,
  type FoundChecks,
  isFound,
  type ParsedReport,
  type ProjectCheckName,
  type ProjectReport,
} from './types.ts';

/** Runs one command as the session's own commands run: judged, confined, its output bounded. */
export interface CommandPort {
  runCommand(
    command: string,
    options: { cwd: string; signal: AbortSignal; timeoutMs: number },
  ): Promise<CommandRan>;
}

export interface CommandRan {
  /** Null if a signal ended it. */
  exitCode: number | null;
  output: string;
  /** SHA-256 of the whole output. */
  digest?: string | undefined;
  timedOut?: boolean | undefined;
  /** It was not run: refused, or it could not be started. */
  refused?: string | undefined;
}

export interface RunChecks {
  found: FoundChecks;
  only?: readonly ProjectCheckName[] | undefined;
  port: CommandPort;
  listing: ProjectFiles;
  clock: Clock;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
  /** Shared with others who run checks at the same time. */
  queue?: CheckQueue | undefined;
  /** Called as each one ends. */
  onEnd?: ((outcome: CheckOutcome) => void) | undefined;
}

const usualTimeoutMs = 10 * 60_000;
const maxProblems = 100;
const maxProblemLength = 1_000;

/** Runs the checks side by side. The outcome is that of exit codes and reports, never of what a text says. */
export async function runChecks(options: RunChecks): Promise<ProjectReport> {
  const wanted = checkNames.filter((name) => options.only?.includes(name) ?? true);
  const outcomes = await Promise.all(
    wanted.map(async (name) => {
      const outcome = await queueCheck(options.found[name], options);
      options.onEnd?.(outcome);
      return outcome;
    }),
  );
  return Object.fromEntries(outcomes.map((outcome) => [outcome.name, outcome]));
}

function queueCheck(lookup: CheckLookup, options: RunChecks): Promise<CheckOutcome> {
  const { queue, signal } = options;
  if (!queue || !isFound(lookup)) return runCheck(lookup, options);
  const key = JSON.stringify([lookup.name, lookup.cwd, lookup.reporting?.command ?? lookup.command]);
  return queue.run(key, signal, (shared) => runCheck(lookup, { ...options, signal: shared }));
}

async function runCheck(lookup: CheckLookup, options: RunChecks): Promise<CheckOutcome> {
  const { name } = lookup;
  if (!isFound(lookup)) return { name, passed: false, notRun: lookup.missing, problems: [], durationMs: 0 };
  const { port, clock, signal, listing, timeoutMs = usualTimeoutMs } = options;
  const { cwd, source, reporting } = lookup;
  const command = reporting?.command ?? lookup.command;
  const place = listing.locate(cwd);
  // File systems keep times less exactly than clocks do.
  const [start, since] = [clock.monotonic(), clock.now() - 1_000];
  const ran = await port.runCommand(command, { cwd, signal, timeoutMs });
  const outcome = { name, command, cwd, source, durationMs: Math.round(clock.monotonic() - start) };
  if (ran.refused !== undefined) return { ...outcome, passed: false, notRun: ran.refused, problems: [] };
  const report = readAny(lookup, ran, { place, since, listing });
  const coverage = name === 'tests' ? readCoverage(place, since, listing) : undefined;
  const problems = listProblems(name, ran, report, timeoutMs);
  return {
    ...outcome,
    passed: ran.exitCode === 0 && ran.timedOut !== true && problems.length === 0,
    exitCode: ran.exitCode,
    ...(ran.digest === undefined ? {} : { output: ran.digest }),
    problems: problems.slice(0, maxProblems).map((text) => boundText(text, maxProblemLength)),
    ...(report?.tests ? { tests: report.tests } : {}),
    ...(coverage === undefined ? {} : { coverage }),
  };
}

function readAny(
  { name, reporting, reportFiles }: FoundCheck,
  { output }: CommandRan,
  { place, since, listing }: { place: string; since: number; listing: ProjectFiles },
): ParsedReport | undefined {
  const printed = reporting ? readReport(reporting.format, output) : undefined;
  if (printed) return printed;
  const files = reportFiles ? readReportFiles(place, reportFiles, since, listing) : undefined;
  return files ?? (name === 'tests' || !reporting ? recognizeReport(output) : undefined);
}

/** Why it did not pass; none if it did. Every fault counts, so a report and an exit code that disagree are a failure. */
function listProblems(
  name: ProjectCheckName,
  { exitCode, output, timedOut }: CommandRan,
  report: ParsedReport | undefined,
  timeoutMs: number,
): string[] {
  const problems = [...(report?.problems ?? [])];
  const { tests } = report ?? {};
  if (tests && tests.failed > problems.length) problems.push(`${tests.failed} tests failed`);
  if (name === 'tests' && (tests ? tests.run === 0 : exitCode === 0 && saysNoTestRan(output)))
    problems.push('no test was run');
  if (timedOut) problems.unshift(`it took longer than ${Math.round(timeoutMs / 1000)} s and was stopped`);
  else if (exitCode !== 0 && problems.length === 0) problems.push(describeExit(exitCode, output));
  return problems;
}

/** The end of the output, which explains a failure that no report does. */
function describeExit(exitCode: number | null, output: string): string {
  const how = exitCode === null ? 'ended by a signal' : `exit code ${exitCode}`;
  const end = output.trimEnd().split('\n').slice(-15).join('\n');
  return end === '' ? how : `${how}: ${end}`;
}
