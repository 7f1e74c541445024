import type { CheckCommand } from '../protocol/receipt.ts';
import type { CheckOutcome, FoundChecks, ProjectCheckName, ProjectReport } from './types.ts';
import { checkNames, isFound } from './types.ts';

/** The report in the form of HO1's `checks` findings. `not_run` says why a check did not run: such a check has not passed. */
export interface CheckFindings {
  types: Ran & { errors: string[] };
  lint: Ran & { errors: string[] };
  tests: Ran & { coverage: number | null; failures: string[] };
  security: Ran & { issues: string[] };
}

interface Ran {
  passed: boolean;
  not_run?: string;
}

/** Those that were asked for; the others are not in it. */
export function toCheckFindings(report: ProjectReport): Partial<CheckFindings> {
  const { types, lint, tests, security } = report;
  return {
    ...(types && { types: { ...readRan(types), errors: types.problems } }),
    ...(lint && { lint: { ...readRan(lint), errors: lint.problems } }),
    ...(tests && {
      tests: { ...readRan(tests), coverage: tests.coverage ?? null, failures: tests.problems },
    }),
    ...(security && { security: { ...readRan(security), issues: security.problems } }),
  };
}

function readRan({ passed, notRun }: CheckOutcome): Ran {
  return { passed, ...(notRun === undefined ? {} : { not_run: notRun }) };
}

/** The commands that count as a check when an agent runs them itself, each in its directory, for resolving claims. */
export function listCheckCommands(found: FoundChecks): Partial<Record<ProjectCheckName, CheckCommand[]>> {
  return Object.fromEntries(
    checkNames.flatMap((name) => {
      const lookup = found[name];
      if (!isFound(lookup)) return [];
      const { command, reporting, cwd } = lookup;
      const commands = new Set([command, ...(reporting ? [reporting.command] : [])]);
      return [[name, [...commands].map((one) => ({ command: one, cwd }))]];
    }),
  );
}
