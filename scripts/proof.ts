/**
 * `npm run proof`: every proof at its full figures, one after the other, into `docs/proof.md`.
 *
 *   npm run proof -- --seed 7 --only transcript
 *   npm run proof -- --only shell-kernel --hours 8
 *   npm run proof -- --resume          only what this commit has not been through yet
 *
 * Each finding is kept below `dist/`, so that proofs can run in parts; the page is written once all of
 * them were run on one commit without changes.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, loadProofs, type Proof, perform, renderReport } from './proofs.ts';
import { run } from './run.ts';

const repository = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string' },
    only: { type: 'string', multiple: true },
    hours: { type: 'string' },
    resume: { type: 'boolean' },
  },
});
const seed = flags.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(flags.seed);

const commit = await readCommit();
const kept = join(repository, 'dist', 'proof', commit);
mkdirSync(kept, { recursive: true });

const all = await loadProofs(join(repository, 'test', 'proof'));
const chosen = all.filter((proof) => !flags.only || flags.only.includes(proof.name));
const findings: Finding[] = [];
for (const proof of chosen) {
  const earlier = flags.resume ? recall(proof) : undefined;
  findings.push(earlier?.result.passed ? earlier : await prove(proof));
}

const whole = all.map(recall).filter((finding) => finding !== undefined);
if (whole.length === all.length && !commit.includes('changed'))
  writeFileSync(
    join(repository, 'docs', 'proof.md'),
    renderReport(whole, {
      commit,
      date: new Date().toISOString(),
      machine: `${platform()} ${arch()}, ${cpus().length} cores`,
    }),
  );
else
  console.log(`docs/proof.md is not written: ${whole.length} of ${all.length} proofs were run on ${commit}`);

const broken = findings.filter((finding) => !finding.result.passed);
if (broken.length > 0) process.exitCode = 1;
console.log(`${findings.length - broken.length} of ${findings.length} hold`);

async function prove(proof: Proof): Promise<Finding> {
  const finding = await perform(proof, true, seed, Number(flags.hours ?? 0));
  const { passed, figures, detail } = finding.result;
  console.log(`${passed ? 'holds ' : 'BROKEN'}  ${proof.name}  seed ${seed}  ${JSON.stringify(figures)}`);
  if (!passed) console.log(`        ${detail}`);
  writeFileSync(join(kept, `${proof.name}.json`), JSON.stringify(finding));
  return finding;
}

function recall(proof: Proof): Finding | undefined {
  try {
    return JSON.parse(readFileSync(join(kept, `${proof.name}.json`), 'utf8')) as Finding;
  } catch {
    return undefined;
  }
}

async function readCommit(): Promise<string> {
  const name = (await run(['git', 'rev-parse', 'HEAD'], repository)).trim();
  const changes = await run(['git', 'status', '--porcelain', '--', 'src', 'test', 'scripts'], repository);
  return changes.trim() === '' ? name : `${name}-changed`;
}
