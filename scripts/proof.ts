/**
 * `npm run proof`: every proof at its full figures, one after the other, into `docs/proof.md`.
 *
 *   npm run proof -- --seed 7 --only transcript
 *   npm run proof -- --only shell-kernel --hours 8
 */
import { writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, loadProofs, perform, renderReport } from './proofs.ts';
import { run } from './run.ts';

const repository = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: { seed: { type: 'string' }, only: { type: 'string', multiple: true }, hours: { type: 'string' } },
});
const seed = flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(flags.seed);

const all = await loadProofs(join(repository, 'test', 'proof'));
const chosen = all.filter((proof) => !flags.only || flags.only.includes(proof.name));
const findings: Finding[] = [];
for (const proof of chosen) {
  const finding = await perform(proof, true, seed, Number(flags.hours ?? 0));
  findings.push(finding);
  console.log(
    `${finding.result.passed ? 'holds ' : 'BROKEN'}  ${proof.name}  ${JSON.stringify(finding.result.figures)}`,
  );
  if (!finding.result.passed) console.log(`        ${finding.result.detail}`);
}

// A part must not pass for the whole.
if (chosen.length === all.length)
  writeFileSync(join(repository, 'docs', 'proof.md'), renderReport(findings, await circumstances()));
if (findings.some((finding) => !finding.result.passed)) process.exitCode = 1;
console.log(
  `${findings.filter((finding) => finding.result.passed).length} of ${findings.length} hold, seed ${seed}`,
);

async function circumstances() {
  const commit = (await run(['git', 'rev-parse', 'HEAD'], repository)).trim();
  const changed =
    (await run(['git', 'status', '--porcelain', '--', 'src', 'test'], repository)).trim() !== '';
  return {
    commit: changed ? `${commit}, with changes that are not committed` : commit,
    date: new Date().toISOString(),
    seed,
    machine: `${platform()} ${arch()}, ${cpus().length} cores`,
  };
}
