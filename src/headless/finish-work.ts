import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import { noUsage, type Outcome, type TaskView } from '../protocol/index.ts';
import type { Session } from '../session/session.ts';
import { isUnderWay } from '../tasks/tasks.ts';
import { formatAgentTask } from './agent-lines.ts';
import type { Io } from './io.ts';

/** How long a one-shot run lets background shells finish before it ends them. */
const shellGraceMs = 5_000;
const maxNamed = 5;

export interface WaitOptions {
  clock: Clock;
  io: Pick<Io, 'writeErr'>;
  /** The user does not want to wait any longer. */
  interrupted?: AbortSignal;
}

/**
 * Waits for the run, and for background work as long as that is reasonable: for agents, whose results the run is about,
 * as long as they make progress; for shells, which may be servers, a moment. Prints what it waits for. Returns how the
 * whole run ended if it has to end without some of its agents.
 */
export async function finishWork(
  session: Session,
  { clock, io, interrupted }: WaitOptions,
): Promise<Outcome | undefined> {
  await session.settled();
  const limitMs = session.info().backgroundWaitMs;
  const enough = new AbortController();
  const unlink = interrupted ? linkAbort(interrupted, enough) : () => {};
  let release: (() => void) | undefined;
  let left: Outcome | undefined;
  for (let agents = listRunningAgents(session); ; agents = listRunningAgents(session)) {
    // Its agents belong to another process, and end here by themselves.
    if (session.loss) break;
    if (agents.length > 0 && enough.signal.aborted) {
      if (interrupted?.aborted) left = describeInterrupted(agents);
      else {
        left = describeUnfinished(agents, limitMs);
        io.writeErr(`cadre: ${left.reason}\n`);
      }
      break;
    }
    if (agents.length === 0) await graceForShells(session, clock, enough.signal);
    else {
      if (!release) io.writeErr(waits(agents, limitMs));
      release ??= limitMs > 0 ? watchProgress(session, clock, limitMs, () => enough.abort()) : () => {};
      await session.finished(enough.signal, isAgent);
    }
    // The end of a shell may have made the agent start others.
    if (listRunningAgents(session).length === 0 && agents.length === 0) break;
  }
  release?.();
  unlink();
  return left;
}

/** Calls `stop` once nothing has happened in the session for so long. */
function watchProgress(session: Session, clock: Clock, limitMs: number, stop: () => void): () => void {
  let last = clock.monotonic();
  let isOver = false;
  const follow = async () => {
    for await (const _ of session.events()) {
      if (isOver) return;
      last = clock.monotonic();
    }
  };
  void follow();
  let cancel = () => {};
  const look = () => {
    // To wait for a limit to reset has its own bound.
    if (session.tasks().some((task) => task.suspended && isUnderWay(task))) last = clock.monotonic();
    const leftMs = last + limitMs - clock.monotonic();
    if (leftMs > 0) cancel = clock.after(leftMs, look);
    else stop();
  };
  look();
  return () => {
    isOver = true;
    cancel();
  };
}

async function graceForShells(session: Session, clock: Clock, enough: AbortSignal): Promise<void> {
  const grace = new AbortController();
  const unlink = linkAbort(enough, grace);
  const cancel = clock.after(shellGraceMs, () => grace.abort());
  await session.finished(grace.signal);
  cancel();
  unlink();
}

function listRunningAgents(session: Session): TaskView[] {
  return session.tasks().filter((task) => isUnderWay(task) && !task.isResting && isAgent(task));
}

function isAgent({ kind }: TaskView): boolean {
  return kind !== 'local_bash';
}

function waits(agents: readonly TaskView[], limitMs: number): string {
  const makes = agents.length === 1 ? 'it makes' : 'they make';
  const limit = limitMs > 0 ? `, until ${makes} no progress for ${seconds(limitMs)}` : '';
  return `cadre: waiting for ${count(agents)}${limit}: ${named(agents)}\n`;
}

function describeInterrupted(agents: readonly TaskView[]): Outcome {
  const kept = agents.some(({ agent }) => agent?.worktree !== undefined)
    ? 'What they did in worktrees is kept: cadre worktree list. '
    : '';
  const reason = `Interrupted. ${describeEnds(agents)} ${kept}Continue this session with cadre -p -c "…".`;
  return { kind: 'interrupted', text: '', reason, turns: 0, usage: noUsage };
}

function describeUnfinished(agents: readonly TaskView[], limitMs: number): Outcome {
  const reason =
    `${count(agents, true)} did not finish: no progress for ${seconds(limitMs)}. ${describeEnds(agents)} ` +
    'Wait longer with the setting agents.printWaitSeconds or CADRE_PRINT_BG_WAIT_MS (0: no limit), or continue this session with cadre -p -c "…".';
  return { kind: 'unfinished', text: '', reason, turns: 0, usage: noUsage };
}

/** What becomes of them as the session ends: a worker keeps running its agents, and what is suspended stays so. */
function describeEnds(agents: readonly TaskView[]): string {
  const left = agents.filter(({ kind, owner }) => kind === 'remote_agent' && owner === null);
  const suspended = agents.filter((task) => task.suspended !== undefined && !left.includes(task));
  const stopped = agents.filter((task) => !left.includes(task) && !suspended.includes(task));
  return [
    ...(suspended.length > 0
      ? [`Suspended: ${named(suspended)}; cadre -p -c continues ${suspended.length === 1 ? 'it' : 'them'}.`]
      : []),
    ...(stopped.length > 0 ? [`Stopped: ${named(stopped)}.`] : []),
    ...(left.length > 0 ? [`Still running on workers: ${named(left)}.`] : []),
  ].join(' ');
}

function count(tasks: readonly TaskView[], isFirst = false): string {
  const { length } = tasks;
  const monitors = tasks.filter(({ kind }) => kind === 'monitor_mcp').length;
  const what = monitors === 0 ? 'background agent' : monitors === length ? 'monitor' : 'background task';
  return length === 1 ? `${isFirst ? 'One' : 'one'} ${what}` : `${length} ${what}s`;
}

function named(agents: readonly TaskView[]): string {
  const names = agents.slice(0, maxNamed).map(formatAgentTask);
  return [...names, ...(agents.length > maxNamed ? [`${agents.length - maxNamed} more`] : [])].join(', ');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
