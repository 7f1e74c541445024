import { type Clock, sleep } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import type { Engine } from './engine.ts';

const retryMs = 1000;

/** Asks again while the server is away, until the signal fires. A call that was refused is not repeated. */
export async function askAgain<T>(
  ask: () => Promise<Result<T>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<T>> {
  for (;;) {
    const answer = await ask();
    if (answer.ok || answer.problem.kind === 'usage' || signal.aborted) return answer;
    await sleep(clock, retryMs, signal);
    if (signal.aborted) return answer;
  }
}

/** An engine whose rows are read although the server is away for a time. */
export function patientEngine(engine: Engine, clock: Clock, signal: AbortSignal): Engine {
  return {
    ...engine,
    read: (...query) => askAgain(() => engine.read(...query), clock, signal),
  };
}
