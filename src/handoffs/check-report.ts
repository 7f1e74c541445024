import { boundText } from '../lib/text/text.ts';
import { type CheckName, type CheckOutcomes, checkNames, type FailedCheck } from './schema.ts';
import type { CheckReport, RanChecks } from './setup.ts';

const maxErrors = 20;
const maxErrorLength = 1_000;

/** All four checks. One that is not in the report did not run. */
export function completeReport(report: CheckReport): CheckOutcomes {
  const absent = { passed: false, not_run: 'not part of this phase' };
  return {
    types: report.types ?? { ...absent, errors: [] },
    lint: report.lint ?? { ...absent, errors: [] },
    tests: report.tests ?? { ...absent, coverage: null, failures: [] },
    security: report.security ?? { ...absent, issues: [] },
  };
}

/** Whether any check ran: a project without checks was not checked. */
export function hasRun(report: CheckReport): boolean {
  return Object.values(report).some(({ not_run }) => not_run === undefined);
}

/** The checks that ran, and whether they passed. */
export function listRan(report: CheckReport): RanChecks {
  const ran = Object.entries(report).filter(([, { not_run }]) => not_run === undefined);
  return Object.fromEntries(ran.map(([name, { passed }]) => [name, { passed }]));
}

/** The checks that ran and failed, with what they reported. */
export function listFailedChecks(checks: CheckReport): FailedCheck[] {
  return checkNames.flatMap((name) => {
    const check = checks[name];
    if (check === undefined || check.passed || check.not_run !== undefined) return [];
    const errors = listErrors(checks, name).slice(0, maxErrors);
    return [{ check: name, errors: errors.map((error) => boundText(error, maxErrorLength)) }];
  });
}

function listErrors(checks: CheckReport, name: CheckName): readonly string[] {
  if (name === 'tests') return checks.tests?.failures ?? [];
  return (name === 'security' ? checks.security?.issues : checks[name]?.errors) ?? [];
}

/** Bounded, so that a project with a thousand errors still fits a hand-off. */
export function boundReport(report: CheckReport): CheckReport {
  const bound = (errors: readonly string[]) =>
    errors
      .filter((error) => error.trim() !== '')
      .slice(0, maxErrors)
      .map((error) => boundText(error.trim(), maxErrorLength));
  const { types, lint, tests, security } = report;
  return {
    ...(types && { types: { ...types, errors: bound(types.errors) } }),
    ...(lint && { lint: { ...lint, errors: bound(lint.errors) } }),
    ...(tests && { tests: { ...tests, failures: bound(tests.failures) } }),
    ...(security && { security: { ...security, issues: bound(security.issues) } }),
  };
}
