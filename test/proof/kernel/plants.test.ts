import { expect } from 'bun:test';
import { needsThat } from '../../support/index.ts';
import { canTrace } from './driver.ts';
import { describe, fuzz } from './fuzz.ts';
import { plants, weaken } from './plants.ts';

const traced = needsThat(canTrace(), 'bwrap and strace, and the right to use them');

for (const plant of plants)
  traced(
    `the kernel contradicts a judge with a planted hole: ${plant.name}`,
    async () => {
      const result = await fuzz({
        ...{
          seed: 20_260_101,
          lines: plant.lines ?? 12_000,
          runs: (plant.lines ?? 12_000) / 10,
          round: 500,
          enough: 1,
        },
        ...{ layouts: [plant.layout ?? 'programs'], judge: weaken(plant) },
      });
      expect(result.contradictions.map(describe)).toHaveLength(1);
    },
    120_000,
  );
