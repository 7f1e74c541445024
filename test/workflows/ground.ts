import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { systemMachine } from '../../src/lib/machine.ts';
import { ok, type Result } from '../../src/lib/result.ts';
import { noUsage } from '../../src/protocol/index.ts';
import type {
  CallConduct,
  CallResult,
  CallRunner,
  Resolution,
  WrittenCall,
} from '../../src/workflows/call-runner.ts';
import { openRun, type RunWish } from '../../src/workflows/open-run.ts';
import type { WorkflowRun } from '../../src/workflows/run.ts';
import type { RunChange } from '../../src/workflows/run-types.ts';

/** Below a home, in which the anchors of runs are. */
export function newRuns(): string {
  const runs = join(mkdtempSync(join(tmpdir(), 'cadre-runs-')), 'workflow-runs');
  mkdirSync(runs, { mode: 0o700 });
  return runs;
}

export const resolution: Resolution = { agentType: 'general-purpose', definition: 'd1', model: 'fake/one' };

export interface Ran {
  prompt: string;
  earlier: string | undefined;
}

/** Ends every call with `done: PROMPT`, unless told otherwise; counts what it ran. */
export function countingRunner(
  end: (call: WrittenCall, conduct: CallConduct, index: number) => Promise<CallResult> | CallResult = endWell,
  resolve: () => Result<Resolution> = () => ok(resolution),
): CallRunner & { ran: Ran[] } {
  const ran: Ran[] = [];
  return {
    ran,
    resolve,
    async run(call, conduct) {
      const index = ran.push({ prompt: call.prompt, earlier: conduct.earlier?.agentId }) - 1;
      const agentId = conduct.earlier?.agentId ?? `a${index}`;
      const noted = await conduct.noteStarted({ agentId, sessionId: 's', transcript: `/t/${agentId}` });
      if (!noted.ok)
        return { kind: 'ended', outcome: 'failed', text: '', reason: noted.problem.message, usage: noUsage };
      return end(call, conduct, index);
    },
  };
}

export function endWell({ prompt }: WrittenCall): CallResult {
  const usage = { ...noUsage, input_tokens: 10, output_tokens: 1 };
  return {
    kind: 'ended',
    outcome: 'ok',
    value: `done: ${prompt}`,
    text: `done: ${prompt}`,
    model: 'fake/one',
    usage,
  };
}

/** Waits until it is stopped. */
export function hang(_: WrittenCall, { signal }: CallConduct): Promise<CallResult> {
  return new Promise((resolve) => {
    const stop = () =>
      resolve({
        kind: 'ended',
        outcome: 'interrupted',
        text: 'so far',
        reason: String(signal.reason),
        usage: noUsage,
      });
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

export async function openForTest(
  runs: string,
  wish: Partial<RunWish> = {},
): Promise<{ run: WorkflowRun; changes: RunChange[] }> {
  const changes: RunChange[] = [];
  const opened = await openRun({
    ...{
      runs,
      machine: systemMachine,
      clock: systemClock,
      sessionId: 's',
      cwd: '/',
      runner: countingRunner(),
    },
    program: { kind: 'script', name: 'test' },
    limits: { maxConcurrent: 4, maxCalls: 100, askAboveAgents: 50 },
    note: (change) => changes.push(change),
    ...wish,
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  return { run: opened.value, changes };
}
