import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import type { TaskView } from '../protocol/index.ts';
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
 * up to a limit; for shells, which may be servers, a moment. Prints what it waits for.
 */
export async function finishWork(session: Session, { clock, io, interrupted }: WaitOptions): Promise<void> {
  await session.settled();
  const limitMs = session.info().backgroundWaitMs;
  const enough = new AbortController();
  const unlink = interrupted ? linkAbort(interrupted, enough) : () => {};
  let cancel: (() => void) | undefined;
  for (let agents = listRunningAgents(session); ; agents = listRunningAgents(session)) {
    if (agents.length > 0 && enough.signal.aborted) {
      if (!interrupted?.aborted) io.writeErr(gaveUp(agents, limitMs));
      break;
    }
    if (agents.length === 0) await graceForShells(session, clock, enough.signal);
    else {
      if (!cancel) io.writeErr(waits(agents, limitMs));
      cancel ??= limitMs > 0 ? clock.after(limitMs, () => enough.abort()) : () => {};
      await session.finished(enough.signal, isAgent);
    }
    // The end of a shell may have made the agent start others.
    if (listRunningAgents(session).length === 0 && agents.length === 0) break;
  }
  cancel?.();
  unlink();
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
  return session.tasks().filter((task) => isUnderWay(task) && isAgent(task));
}

function isAgent({ kind }: TaskView): boolean {
  return kind !== 'local_bash';
}

function waits(agents: readonly TaskView[], limitMs: number): string {
  const limit = limitMs > 0 ? `, at most ${seconds(limitMs)}` : '';
  return `cadre: waiting for ${count(agents)}${limit}: ${named(agents)}\n`;
}

function gaveUp(agents: readonly TaskView[], limitMs: number): string {
  return (
    `cadre: ${count(agents)} did not finish within ${seconds(limitMs)} and ${agents.length === 1 ? 'is' : 'are'} ended: ` +
    `${named(agents)}\nWait longer with CADRE_PRINT_BG_WAIT_MS (0: no limit), or continue this session with cadre -p -c "…".\n`
  );
}

function count(tasks: readonly TaskView[]): string {
  const { length } = tasks;
  const monitors = tasks.filter(({ kind }) => kind === 'monitor_mcp').length;
  const what = monitors === 0 ? 'background agent' : monitors === length ? 'monitor' : 'background task';
  return length === 1 ? `one ${what}` : `${length} ${what}s`;
}

function named(agents: readonly TaskView[]): string {
  const names = agents.slice(0, maxNamed).map(formatAgentTask);
  return [...names, ...(agents.length > maxNamed ? [`${agents.length - maxNamed} more`] : [])].join(', ');
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
