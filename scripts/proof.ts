/**
 * `npm run proof`: every proof at its full figures, one after the other.
 *
 *   npm run proof -- --seed 7 --only transcript-cut
 *   npm run proof -- --only shell-kernel --hours 8
 *   npm run proof -- --resume          only what this commit has not been through yet
 *
 * The last finding of each proof is kept in `docs/proof.json`, with the commit that it ran on, and `docs/proof.md` shows
 * them. All of them take hours, so they can be run in parts. A tree with changes is proved, but not written down.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, loadProofs, type Proof, perform, type Recorded, renderReport } from './proofs.ts';
import { run } from './run.ts';

const repository = join(import.meta.dirname, '..');
const store = join(repository, 'docs', 'proof.json');
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
const all = await loadProofs(join(repository, 'test', 'proof'));
const chosen = all.filter((proof) => !flags.only || flags.only.includes(proof.name));
let broken = 0;
for (const proof of chosen) {
  if (flags.resume && recall().some((one) => one.proof.name === proof.name && holdsHere(one))) continue;
  const finding = await prove(proof);
  if (!finding.result.passed) broken++;
  if (commit !== undefined) record(finding, commit);
}
if (commit === undefined)
  console.log('docs/proof.md is not written: src, test or scripts have changes that are not committed');
console.log(`${chosen.length - broken} of ${chosen.length} hold`);
if (broken > 0) process.exitCode = 1;

async function prove(proof: Proof): Promise<Finding> {
  const finding = await perform(proof, true, seed, Number(flags.hours ?? 0));
  const { passed, figures, detail } = finding.result;
  console.log(`${passed ? 'holds ' : 'BROKEN'}  ${proof.name}  seed ${seed}  ${JSON.stringify(figures)}`);
  if (!passed) console.log(`        ${detail}`);
  return finding;
}

function holdsHere(one: Recorded): boolean {
  return one.commit === commit && one.result.passed;
}

/** Read again each time: proofs may run beside each other. */
function recall(): Recorded[] {
  try {
    return JSON.parse(readFileSync(store, 'utf8')) as Recorded[];
  } catch {
    return [];
  }
}

function record(finding: Finding, at: string): void {
  const now: Recorded = {
    ...finding,
    commit: at,
    date: new Date().toISOString(),
    machine: `${platform()} ${arch()}, ${cpus().length} cores`,
  };
  const kept = [...recall().filter((one) => one.proof.name !== now.proof.name), now];
  const known = all.flatMap(({ name }) => kept.find((one) => one.proof.name === name) ?? []);
  writeFileSync(store, `${JSON.stringify(known, null, 2)}\n`);
  writeFileSync(join(repository, 'docs', 'proof.md'), renderReport(all, known));
}

/** Undefined where the tree is not that of a commit. */
async function readCommit(): Promise<string | undefined> {
  const name = (await run(['git', 'rev-parse', 'HEAD'], repository)).trim();
  const changes = await run(['git', 'status', '--porcelain', '--', 'src', 'test', 'scripts'], repository);
  return changes.trim() === '' ? name : undefined;
}
