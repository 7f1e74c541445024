/**
 * Judges and runs one line again and prints all that the kernel saw of it.
 *
 *   npx bun test/proof/kernel/replay.ts --layout programs --mode Explore --line 'git status'
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contradictions } from './compare.ts';
import { runJobs } from './driver.ts';
import { gitPosture, judgeLine, postures } from './judged.ts';
import { buildLayouts } from './layout.ts';
import { ruleSets } from './rule-sets.ts';
import { jobOf } from './run-cases.ts';

const { values } = parseArgs({
  options: {
    layout: { type: 'string', default: 'clean' },
    mode: { type: 'string', default: 'default' },
    rules: { type: 'string', default: 'files' },
    below: { type: 'string', default: '' },
    line: { type: 'string', default: '' },
    shell: { type: 'string', default: 'bash' },
    all: { type: 'boolean', default: false },
  },
});
using layouts = buildLayouts([values.layout]);
const [layout] = layouts.all;
const posture = [...postures, gitPosture].find(({ name }) => name === values.mode);
const rules = ruleSets.find(({ name }) => name === values.rules);
if (!layout || !posture || !rules) throw new Error('There is no such layout, mode or set of rules.');
const given = {
  line: values.line,
  cwd: join(layout.workspace, values.below),
  layout,
  posture,
  rules,
  shell: values.shell === 'dash' ? ('dash' as const) : ('bash' as const),
};
const allowed = judgeLine(given);
console.log(
  allowed
    ? `allowed: ${allowed.decision.reason}; writes ${allowed.writes.join(', ') || 'nothing'}`
    : 'not allowed',
);
const judged = allowed ?? {
  rules,
  writes: [],
  programs: new Set<string>(),
  decision: { behaviour: 'allow' as const, by: 'default' as const, reason: '' },
};
const job = await jobOf(given, judged, true);
if ('problem' in job) console.log(job.problem);
else {
  const [ran] = await runJobs(layout, [job]);
  if (!ran) throw new Error('It was not run.');
  if (values.all)
    for (const { kind, program, call } of ran.trace.events) console.log(`  ${kind} ${program} ${call}`);
  console.log(ran.output);
  for (const fault of contradictions(ran, judged, layout)) console.log(`CONTRADICTED ${fault}`);
}
