import type { Proof, ProofResult } from '../../scripts/proofs.ts';
import { canTrace } from './kernel/driver.ts';
import { describe, fuzz } from './kernel/fuzz.ts';
import { type Plant, plants, weaken } from './kernel/plants.ts';
import { seededRandom } from './random.ts';

/** How many are tried in `npm test`: each takes some seconds. */
const maxReduced = 4;

const usualLines = 12_000;

/** Always the same lines: what is tried is whether the grammar makes them, not how lucky a seed is. */
const huntSeed = 20_260_101;

const proof: Proof = {
  name: 'shell-plants',
  promise: 'G9: a judge of shell lines with a hole of any known class is contradicted by the kernel',
  async run(full, seed): Promise<ProofResult> {
    if (!canTrace())
      return {
        passed: false,
        figures: {},
        detail: 'bwrap or strace is missing or refused: npm run setup:test',
      };
    const chosen = full ? plants : choose(seed);
    const missed: string[] = [];
    for (const plant of chosen) {
      const found = await hunt(plant);
      if (found.length !== 1) missed.push(`Not noticed: ${plant.name}\n${found.join('\n')}`);
    }
    return {
      passed: missed.length === 0,
      figures: { holes: chosen.length, missed: missed.length },
      detail: missed.join('\n'),
    };
  },
};

function choose(seed: number): Plant[] {
  const random = seededRandom(seed);
  const waiting = plants.filter(({ isLong }) => !isLong);
  return Array.from({ length: maxReduced }, () => waiting.splice(random.below(waiting.length), 1)).flat();
}

/** What the kernel says against this judge, by the fuzzer's own grammar. */
async function hunt(plant: Plant): Promise<string[]> {
  const lines = plant.lines ?? usualLines;
  const result = await fuzz({
    ...{ seed: huntSeed, lines, runs: lines / 10, round: 500, enough: 1 },
    ...{ layouts: [plant.layout ?? 'programs'], judge: weaken(plant) },
  });
  return result.contradictions.map(describe);
}

export default proof;
