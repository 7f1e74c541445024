/** `npm run simulate -- SEED [COUNT]`: runs one seed and prints all that happened, or many seeds and prints the failures. */
import { describeFailure, runSeed } from './run-seed.ts';

const [seed = Number.NaN, count = 1] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) {
  console.error('Give a seed, as in: npm run simulate -- 42');
  process.exit(2);
}
let failed = 0;
for (let next = seed; next < seed + count; next++) {
  const run = await runSeed(next, undefined, count === 1);
  if (count === 1) console.log(run.trace.join('\n'));
  if (run.faults.length > 0) console.log(describeFailure(run));
  failed += run.faults.length > 0 ? 1 : 0;
}
console.log(`${count} seeds, ${failed} with broken invariants`);
process.exit(failed > 0 ? 1 : 0);
