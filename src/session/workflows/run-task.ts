import { systemClock } from '../../lib/clock.ts';
import { totalTokens } from '../../protocol/index.ts';
import type { OutcomeKind } from '../../protocol/outcome.ts';
import type { RunningTask, TaskEnd } from '../../protocol/task.ts';
import type { RunStatus } from '../../protocol/workflow.ts';
import type { RunnableProgram } from '../../workflows/program.ts';
import type { WorkflowRun } from '../../workflows/run.ts';
import type { ProgramEnd, RunEnd, WorkflowLimits } from '../../workflows/run-types.ts';
import type { Kernel } from '../kernel.ts';
import { scriptFunctions } from './programs.ts';
import { renderEnd } from './render-run.ts';
import type { RunReporter } from './run-reporter.ts';

interface RunParts {
  kernel: Kernel;
  run: WorkflowRun;
  program: RunnableProgram;
  reporter: RunReporter;
  limits: WorkflowLimits;
  maxTokens: number | undefined;
}

/** Runs a workflow to its end, as the work of its task. */
export async function runTask(
  { kernel, run, program, reporter, limits, maxTokens }: RunParts,
  task: RunningTask,
  settle: (end: RunEnd) => void,
): Promise<TaskEnd> {
  const { clock } = kernel.place.outside;
  const startedAt = clock.monotonic();
  const stop = () => run.stop(String(task.signal.reason ?? 'stopped'));
  task.signal.addEventListener('abort', stop, { once: true });
  if (task.signal.aborted) stop();
  reporter.begin(task.outputFile);
  const functions = Object.fromEntries(
    Object.entries(scriptFunctions).map(([name, make]) => [name, make(run, kernel)]),
  );
  const executed = program.execute(run, {
    clock: systemClock,
    maxCalls: limits.maxCalls,
    maxTokens,
    hold: (isHeld) => run.hold(isHeld),
    functions,
  });
  const ended = await run.close(await untilHalted(run, executed));
  reporter.end(ended);
  settle(ended);
  return buildEnd(ended, clock.monotonic() - startedAt);
}

/** A program that waits for calls which will not be made in this process is left; its run goes on in another one. */
async function untilHalted(run: WorkflowRun, executed: Promise<ProgramEnd>): Promise<ProgramEnd> {
  const halted = run.halted.then(async (): Promise<ProgramEnd> => {
    await run.rest();
    return { ok: false, reason: 'suspended' };
  });
  const end = await Promise.race([executed, halted]);
  if (run.halt) run.stop(run.halt.reason);
  return end;
}

const ends: Record<RunStatus, { status: TaskEnd['status']; outcome: OutcomeKind }> = {
  running: { status: 'failed', outcome: 'failed' },
  completed: { status: 'completed', outcome: 'completed' },
  partial: { status: 'failed', outcome: 'unfinished' },
  failed: { status: 'failed', outcome: 'failed' },
  suspended: { status: 'killed', outcome: 'interrupted' },
  stopped: { status: 'killed', outcome: 'killed' },
};

function buildEnd(end: RunEnd, durationMs: number): TaskEnd {
  const { status, reason, spent } = end;
  return {
    ...ends[status],
    text: renderEnd(end),
    ...(status === 'completed' ? {} : { reason: reason ?? `The run is ${status}.` }),
    usage: { totalTokens: totalTokens(spent), toolUses: 0, durationMs, requests: spent },
  };
}
