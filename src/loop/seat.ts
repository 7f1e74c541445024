import { sleep } from '../lib/clock.ts';
import { visibleLine } from '../lib/text/text.ts';
import { readFootprint } from '../permissions/footprint.ts';
import type { Flight, InFlight } from '../permissions/in-flight.ts';
import { findConflicts } from '../permissions/interference.ts';
import type { Access, Decision, TaskStarter } from '../protocol/index.ts';
import { followTasks } from '../tasks/hand-over.ts';
import type { AgentContext } from './agent-context.ts';
import type { JudgeCall, Judged } from './judge-call.ts';
import type { PreparedCall } from './prepare-call.ts';

/** A call's place among those that run, from its judgement to its end, which may be that of a task. */
export class Seat {
  #flight: Flight | undefined;
  #leave: (() => void) | undefined;
  #isHandedOver = false;

  constructor(readonly inFlight: InFlight | undefined) {}

  take(flight: Flight): void {
    this.leave();
    this.#flight = flight;
    this.#leave = this.inFlight?.enter(flight);
  }

  leave(): void {
    if (!this.#isHandedOver) this.#leave?.();
  }

  /** The tasks for the call: one that it becomes keeps the seat to its end. */
  follow(tasks: TaskStarter): TaskStarter {
    const [flight, leave] = [this.#flight, this.#leave];
    if (!flight || !leave) return tasks;
    const moved = () => {
      this.#isHandedOver = true;
      flight.isForeground = false;
    };
    return followTasks(tasks, { moved, over: leave });
  }
}

/** A command of another agent is often over soon. */
const maxWaitMs = 2_000;

/**
 * Judges a call, and takes its seat in the same step if it may run. It waits a moment for calls that may not run beside it, and
 * is judged again then; if they go on, it is asked about.
 */
export async function judgeSeated(
  agent: AgentContext,
  call: PreparedCall,
  accesses: Access[],
  judgeCall: JudgeCall,
  seat: Seat,
): Promise<Judged> {
  const { clock, signal } = agent;
  const deadline = clock.monotonic() + maxWaitMs;
  for (;;) {
    const judged = judgeCall(call, accesses);
    const { decision } = judged;
    const { mode, workspace } = agent.permissions;
    if (decision.behaviour === 'deny' || mode === 'bypassPermissions' || !seat.inFlight) return judged;
    const read = () => readFootprint(accesses, decision, workspace);
    const footprint = read();
    if (!footprint) return judged;
    const conflicts = findConflicts(seat.inFlight.list(), footprint);
    if (conflicts.length === 0) {
      if (decision.behaviour === 'allow') seat.take(openFlight(call, read));
      return judged;
    }
    const left = deadline - clock.monotonic();
    const isWaiting = decision.behaviour === 'allow' && left > 0 && !signal.aborted;
    if (!isWaiting || conflicts.some(({ isForeground }) => !isForeground))
      return { ...judged, decision: askBeside(agent, decision, conflicts) };
    const done = new AbortController();
    await Promise.race([seat.inFlight.left, sleep(clock, left, done.signal), findAbort(signal, done.signal)]);
    done.abort();
  }
}

function openFlight({ tool, summary }: PreparedCall, read: Flight['readFootprint']): Flight {
  const name = tool.name === 'Bash' ? summary : `${tool.name} ${summary}`;
  return { name: visibleLine(name, 200), isForeground: true, readFootprint: read };
}

/** No rule answers this: it is about what else runs. */
function askBeside(
  { permissions: { mode } }: AgentContext,
  decision: Decision,
  conflicts: readonly Flight[],
): Decision {
  const names = conflicts.slice(0, maxNames).map(({ name }) => `"${name}"`);
  const others = conflicts.length > maxNames ? ` and ${conflicts.length - maxNames} more` : '';
  const running = `${names.join(', ')}${others} ${conflicts.length === 1 ? 'is' : 'are'} still running`;
  const why = `${running}, and one of the commands could change which files the other reaches`;
  if (decision.behaviour === 'ask') return { ...decision, reason: `${decision.reason}; ${why}` };
  const advice = 'wait until it ends (TaskOutput) or stop it (TaskStop), then try again';
  const { rule: _, ...kept } = decision;
  return {
    ...kept,
    behaviour: mode === 'dontAsk' ? 'deny' : 'ask',
    by: 'protected-path',
    reason: `${why}; ${advice}`,
  };
}

const maxNames = 3;

function findAbort(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over }),
  );
}
