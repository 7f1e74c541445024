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
  /** It continues after having waited. */
  alive(): void;
  /** Its time stands still while it is idle. */
  rest(isResting: boolean): void;
  /** The outcome to report if a limit ended the run. */
  hit(): Pick<Outcome, 'kind' | 'reason'> | undefined;
  release(): void;
}

/**
 * Ends a run that takes too long, or that shows no sign of life. One that waits for its own agents is not stuck: they
 * have limits themselves, and it is notified when they end.
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
  const timeout = timeWatch(clock, (timeoutSeconds ?? 0) * 1000, () =>
    stop(`Stopped: it reached its time limit of ${timeoutSeconds} s.`),
  );
  const idle = idleWatch(clock, idleSeconds * 1000, waits, () =>
    stop(`Stopped: no model or tool activity for ${idleSeconds} s.`),
  );
  return {
    note(event) {
      timeout.note(event);
      idle.note(event);
    },
    alive: idle.alive,
    rest: timeout.rest,
    hit: () => (reason === undefined ? undefined : { kind: 'timed_out', reason }),
    release() {
      timeout.release();
      idle.release();
    },
  };
}

/** While the agent is suspended its time stands still. */
function timeWatch(clock: Clock, limitMs: number, stop: () => void) {
  let leftMs = limitMs;
  let startedAt = clock.monotonic();
  const start = () => (limitMs > 0 ? clock.after(leftMs, stop) : () => {});
  let cancel = start();
  let isStopped = false;
  const rest = (isResting: boolean) => {
    if (isResting === isStopped) return;
    const now = clock.monotonic();
    isStopped = isResting;
    if (isResting) {
      cancel();
      leftMs = Math.max(0, leftMs - (now - startedAt));
    } else {
      startedAt = now;
      cancel = start();
    }
  };
  return {
    note(event: AgentEvent): void {
      if (event.type !== 'request_waited') return;
      if (event.suspended) rest(true);
      else if (event.isOver) rest(false);
    },
    rest,
    release: () => cancel(),
  };
}

/** One timer that is checked when it runs out, rather than a new one for every sign of life. */
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
      // An agent that waits for the user, or for a provider's limit, is not stuck.
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

/** Why this session starts no more agents; undefined while it still does. */
export function describeTotalReached({
  roster,
  settings,
}: Pick<AgentKernel, 'roster' | 'settings'>): string | undefined {
  if (roster.started < settings.maxTotal) return undefined;
  return `This session has started ${roster.started} agents and reached its limit (agents.maxTotal). Continue without more agents.`;
}
