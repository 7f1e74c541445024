import { expect, test } from 'bun:test';
import { type Storm, weather } from '../proof/storm-weather.ts';

/** Other weather than that of the proof, where single waits may be long against a short median. */
const storms: Record<string, Partial<Storm>> = {
  'a bucket that saves nothing up': { burst: 1 },
  'a bucket that saves nothing up, four processes': { burst: 1, processes: 4 },
  'a large bucket': { burst: 60 },
  'a slow provider': { rate: 0.5, answerMs: [2_000, 10_000] },
  'a fast provider': { rate: 20, answerMs: [200, 1_000], latencyMs: [10, 50] },
  'refusals that are slow to arrive': { latencyMs: [500, 2_000] },
  'refusals that are slow to arrive, four processes': { latencyMs: [500, 2_000], processes: 4 },
  'long answers': { answerMs: [2_000, 12_000] },
  'twenty processes': { processes: 20 },
};

for (const [name, storm] of Object.entries(storms)) {
  test(`G6: ${name}: nothing fails, nothing is early, nobody starves`, async () => {
    const damage = await weather({ agents: 100, processes: 1, durationMs: 300_000, seed: 1, ...storm });
    expect(damage).toMatchObject({ failed: 0, early: 0 });
    expect(damage.requestRatio).toBeLessThan(1.3);
    expect(damage.agentRatio).toBeLessThan(3);
    expect(damage.used).toBeGreaterThan(0.35);
  });
}
