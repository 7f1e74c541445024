/** The frame of the proofs: each file `test/proof/<name>.proof.ts` has one as its default export. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Proof {
  name: string;
  /** The promise that it shows, by its id and in a sentence: `SE1: a transcript cut at any byte loads`. */
  promise: string;
  /**
   * Full figures for `npm run proof`, reduced ones for `npm test`. All that is left to chance comes from the
   * seed, so that a failure can be repeated. A proof that can look further does so for `hours` more.
   */
  run(full: boolean, seed: number, hours?: number): Promise<ProofResult>;
}

export interface ProofResult {
  passed: boolean;
  /** The work and its findings, as numbers: `{ cuts: 4096, lost: 0 }`. */
  figures: Record<string, number>;
  /** Failures, or anything a reader should know. May be empty. */
  detail: string;
}

export async function loadProofs(directory: string): Promise<Proof[]> {
  if (!existsSync(directory)) return [];
  const files = readdirSync(directory).filter((name) => name.endsWith('.proof.ts'));
  return Promise.all(files.sort().map((name) => loadProof(join(directory, name))));
}

async function loadProof(path: string): Promise<Proof> {
  const { default: proof } = (await import(path)) as { default?: Partial<Proof> };
  if (!proof?.name || !proof.promise || typeof proof.run !== 'function')
    throw new Error(`${path}: expected a default export with name, promise and run(full, seed)`);
  return proof as Proof;
}

export interface Finding {
  proof: Pick<Proof, 'name' | 'promise'>;
  result: ProofResult;
  seed: number;
  milliseconds: number;
}

/** A proof that throws has failed; the others still run. */
export async function perform(proof: Proof, full: boolean, seed: number, hours = 0): Promise<Finding> {
  const start = performance.now();
  const result = await proof.run(full, seed, hours).catch((error: unknown) => ({
    passed: false,
    figures: {},
    detail: error instanceof Error ? error.message : String(error),
  }));
  const { name, promise } = proof;
  return { proof: { name, promise }, result, seed, milliseconds: performance.now() - start };
}

/** A finding as it is kept, with where and when it was made. */
export interface Recorded extends Finding {
  commit: string;
  date: string;
  machine: string;
}

/** The page `docs/proof.md`: a row for each proof, with its last finding. */
export function renderReport(
  proofs: readonly Pick<Proof, 'name' | 'promise'>[],
  kept: readonly Recorded[],
): string {
  const rows = proofs.map(({ name, promise }) => {
    const last = kept.find(({ proof }) => proof.name === name);
    if (last === undefined) return `| ${name} | ${promise} | not run | | | | |`;
    const { result, seed, milliseconds, commit, date } = last;
    const word = result.passed ? 'holds' : '**broken**';
    return `| ${name} | ${promise} | ${word} | ${listFigures(result)} | ${(milliseconds / 1000).toFixed(1)} s | ${seed} | ${commit.slice(0, 10)}, ${date.slice(0, 10)} |`;
  });
  const details = kept
    .filter(({ result }) => result.detail !== '')
    .map(({ proof, result }) => `## ${proof.name}\n\n${result.detail}\n`);
  const machines = [...new Set(kept.map(({ machine }) => machine))].sort().join('; ');
  return [
    '# Proof',
    '',
    'Written by `npm run proof`: the last run of each proof at full figures, with the commit that it ran on. Reduced forms of the same proofs run',
    'in `npm test`. To repeat one: `npm run proof -- --only NAME --seed SEED`.',
    '',
    `Machine: ${machines}. Times are of a machine that other work shared.`,
    '',
    '| proof | promise | | figures | time | seed | commit, date |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    ...details,
  ].join('\n');
}

function listFigures({ figures }: ProofResult): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
