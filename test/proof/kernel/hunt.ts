/**
 * The oracle with every corner case and few other lines, as a program: ends with 1 as soon as the kernel contradicts the
 * judge beside it. Run in a copy whose judge was changed, it says whether that change would be noticed.
 *
 *   bun test/proof/kernel/hunt.ts --layouts clean,changed --seed 7
 */
import { parseArgs } from 'node:util';
import { describe, fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '20260101' },
    layouts: { type: 'string' },
    lines: { type: 'string', default: '3000' },
    runs: { type: 'string', default: '240' },
  },
});
const { contradictions } = await fuzz({
  ...{ seed: Number(values.seed), lines: Number(values.lines), runs: Number(values.runs) },
  ...{ enough: 1, round: 300 },
  ...(values.layouts === undefined ? {} : { layouts: values.layouts.split(',') }),
});
for (const found of contradictions) console.log(describe(found));
process.exitCode = contradictions.length > 0 ? 1 : 0;
