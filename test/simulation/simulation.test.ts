import { expect, test } from 'bun:test';
import { plants } from './plants.ts';
import { describeFailure, runSeed } from './run-seed.ts';

const seeds = 2_000;

test(`G3 G4: ${seeds} simulated worlds of crashes, pauses, faulty disks and networks: all invariants hold`, async () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= seeds && failures.length < 5; seed++) {
    const run = await runSeed(seed);
    if (run.faults.length > 0) failures.push(describeFailure(run));
  }
  expect(failures.join('\n')).toBe('');
}, 600_000);

test('the same seed gives the same run', async () => {
  for (const seed of [1, 2, 3]) {
    const first = await runSeed(seed, undefined, true);
    const second = await runSeed(seed, undefined, true);
    expect(first.trace.length).toBeGreaterThan(20);
    expect(second.trace).toEqual([...first.trace]);
  }
}, 120_000);

const maxSeeds = 200;

for (const [name, plant] of Object.entries(plants))
  test(`planted in the simulator: ${name} is found, and its seed shows it again`, async () => {
    let found = await runSeed(1, plant);
    for (let seed = 2; found.faults.length === 0 && seed <= maxSeeds; seed++)
      found = await runSeed(seed, plant);
    expect(found.faults).not.toEqual([]);
    expect(describeFailure(found)).toContain(`npm run simulate -- ${found.seed}`);
    expect((await runSeed(found.seed, plant)).faults).toEqual([...found.faults]);
  }, 120_000);
