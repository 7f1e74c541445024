import { type Plant, World } from './world.ts';

export interface SeedRun {
  seed: number;
  faults: readonly string[];
  trace: readonly string[];
  world: World;
}

/** One simulated world from its beginning to its rest. The same seed gives the same run. */
export async function runSeed(seed: number, plant?: Plant, isTraced = false): Promise<SeedRun> {
  const world = new World({ seed, plant, isTraced });
  await world.run();
  const { faults, trace } = world.ledger;
  return { seed, faults, trace, world };
}

/** What a failure prints: the invariants that broke, and how to see the same run again. */
export function describeFailure({ seed, faults }: SeedRun): string {
  return [
    `Seed ${seed}:`,
    ...faults.map((fault) => `  ${fault}`),
    `Replay: npm run simulate -- ${seed}`,
  ].join('\n');
}
