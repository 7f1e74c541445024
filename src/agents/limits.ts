import type { Clock } from '../lib/clock.ts';
import type { AgentEvent, Outcome } from '../protocol/index.ts';
import type { AgentKernel } from './kernel.ts';

export interface RunLimits {
  timeoutSeconds?: number;
  idleSeconds: number;
}

export interface LimitWatch {
  /** Something came from the model or a tool: the agent is alive. */
  note(event: AgentEvent): void;
  /** It goes on after having waited. */
  alive(): void;
  /** How the run must be said to have ended, where a limit ended it. */
  hit(): Pick<Outcome, 'kind' | 'reason'> | undefined;
  release(): void;
}

/**
 * Ends a run that takes too long, or from which nothing is heard any more. One that waits for agents of its own is
 * not stuck: they have limits themselves, and what ends them is its to hear.
 */
export function watchLimits(
  limits: RunLimits,
  clock: Clock,
  controller: AbortController,
  waits: () => boolean,
): LimitWatch {
  let reason: string | undefined;
  const stop = (why: string) => {
    reason ??= why;
    controller.abort(why);
  };
  const { timeoutSeconds, idleSeconds } = limits;
  const cancelTimeout =
    timeoutSeconds === undefined
      ? () => {}
      : clock.after(timeoutSeconds * 1000, () => stop(`Stopped after ${timeoutSeconds} s, its time limit.`));
  const idle = idleWatch(clock, idleSeconds * 1000, waits, () =>
    stop(`Stopped: nothing was heard of its model or tools for ${idleSeconds} s.`),
  );
  return {
    note: idle.note,
    alive: idle.alive,
    hit: () => (reason === undefined ? undefined : { kind: 'timed_out', reason }),
    release() {
      cancelTimeout();
      idle.release();
    },
  };
}

/** One timer that is looked at when it runs out, rather than one set anew for every sign of life. */
function idleWatch(clock: Clock, idleMs: number, waits: () => boolean, stop: () => void) {
  let last = clock.monotonic();
  let cancel = () => {};
  const look = () => {
    if (waits()) last = clock.monotonic();
    const left = last + idleMs - clock.monotonic();
    if (left <= 0) stop();
    else cancel = clock.after(Math.min(left, idleMs), look);
  };
  if (idleMs > 0) cancel = clock.after(idleMs, look);
  return {
    note: (event: AgentEvent) => {
      // Whoever waits for a person, or for a provider's limit, is not stuck.
      last = clock.monotonic() + measureWait(event);
    },
    alive: () => {
      last = clock.monotonic();
    },
    release: () => cancel(),
  };
}

function measureWait(event: AgentEvent): number {
  if (event.type === 'question_asked') return Number.POSITIVE_INFINITY;
  if (event.type !== 'request_waited' || event.isOver) return 0;
  return event.delayMs > 0 ? event.delayMs : Number.POSITIVE_INFINITY;
}

/** Why no more agents are started in this session, once that is so. */
export function describeTotalReached({
  roster,
  settings,
}: Pick<AgentKernel, 'roster' | 'settings'>): string | undefined {
  if (roster.started < settings.maxTotal) return undefined;
  return `This session has started ${roster.started} agents, its limit (agents.maxTotal). Go on without more of them.`;
}
