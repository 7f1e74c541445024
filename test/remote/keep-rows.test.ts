import { expect, test } from 'bun:test';
import { manualClock } from '../../src/lib/clock.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { keepRows } from '../../src/remote/keep-rows.ts';

const dayMs = 24 * 3_600_000;

test('RM4 G14 a job and its repository are used each day for as long as a worker has the job', () => {
  const clock = manualClock();
  const engine = memoryEngine(memoryServer(clock));
  const used: string[] = [];
  const append: typeof engine.append = (id, rows, epoch) => {
    used.push(id);
    return engine.append(id, rows, epoch);
  };
  const kept = keepRows({ append }, clock, { id: 'job', repository: 'repository' });
  clock.advance(2 * dayMs);
  expect(used).toEqual(['job', 'repository', 'job', 'repository', 'job', 'repository']);
  kept.stop();
  clock.advance(2 * dayMs);
  expect(used).toHaveLength(6);
});
