import type { Clock } from '../lib/clock.ts';
import type { AgentEvent } from '../protocol/index.ts';

/** Adds up how long a run waited for its model, from the events alone. */
export function modelTimer(clock: Clock) {
  let total = 0;
  let since: number | undefined;
  return {
    note(event: AgentEvent): void {
      if (event.type === 'turn_started') since = clock.monotonic();
      const ended =
        event.type === 'model_streamed' &&
        (event.event.type === 'response_ended' || event.event.type === 'response_failed');
      if (!ended || since === undefined) return;
      total += clock.monotonic() - since;
      since = undefined;
    },
    total: () => total,
  };
}
