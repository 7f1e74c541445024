import type { Clock } from '../lib/clock.ts';
import type { Machine } from '../lib/machine.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { openJournal } from './journal.ts';
import type { RunBudget, WorkflowProgram } from './journal-records.ts';
import { isRunId } from './read-journal.ts';
import { WorkflowRun } from './run.ts';
import type { RunNeeds } from './run-types.ts';

export interface RunWish extends RunNeeds {
  /** The directory of all runs, from `locateRuns`. */
  runs: string;
  machine: Machine;
  clock: Clock;
  /** The run to resume; without it a new one is made. */
  resume?: string | undefined;
  program: WorkflowProgram;
  sessionId: string;
  cwd: string;
  budget?: RunBudget | undefined;
}

/**
 * Opens a run for its program: a new one, or one that was cut off, stopped or suspended. One process has a run at a time; the
 * others are told which one.
 */
export async function openRun(wish: RunWish): Promise<Result<WorkflowRun>> {
  const { runs, machine, clock, resume, program, sessionId, cwd, budget } = wish;
  if (resume !== undefined && !isRunId(resume))
    return usage(`${JSON.stringify(resume.slice(0, 60))} is not the id of a workflow run.`);
  const runId = resume ?? `r${machine.ids.token(12)}`;
  const journal = await openJournal({ runs, runId, isNew: resume === undefined, machine, clock });
  if (!journal.ok) return journal;
  const opened = await journal.value.write({
    type: 'opened',
    ...{ version, sessionId, cwd, program },
    ...(budget ? { budget } : {}),
  });
  if (opened.ok) return ok(new WorkflowRun(runId, journal.value, wish));
  journal.value.close();
  return opened;
}
