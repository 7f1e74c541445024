import type { Clock } from '../lib/clock.ts';
import type { Engine } from './engine.ts';
import type { JobOrder } from './job.ts';

const dayMs = 24 * 3_600_000;

/** Uses the rows of a job, and of its repository, now and then: an engine may forget what nobody uses, and a session can wait for long. */
export function keepRows(
  engine: Pick<Engine, 'append'>,
  clock: Clock,
  { id, repository }: Pick<JobOrder, 'id' | 'repository'>,
): { stop(): void } {
  let cancel = () => {};
  const use = () => {
    cancel = clock.after(dayMs, use);
    for (const rows of [id, repository]) void engine.append(rows, []);
  };
  use();
  return { stop: () => cancel() };
}
