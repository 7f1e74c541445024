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

export interface Circumstances {
  commit: string;
  date: string;
  machine: string;
}

/** The page `docs/proof.md`. */
export function renderReport(findings: readonly Finding[], at: Circumstances): string {
  const rows = findings.map(
    ({ proof, result, seed, milliseconds }) =>
      `| ${proof.name} | ${proof.promise} | ${result.passed ? 'holds' : '**broken**'} | ${figuresOf(result)} | ${(milliseconds / 1000).toFixed(1)} s | ${seed} |`,
  );
  const details = findings
    .filter(({ result }) => result.detail !== '')
    .map(({ proof, result }) => `## ${proof.name}\n\n${result.detail}\n`);
  return [
    '# Proof',
    '',
    'Written by `npm run proof`. Reduced forms of the same proofs run in `npm test`.',
    'To repeat one: `npm run proof -- --only NAME --seed SEED`.',
    '',
    `- commit: ${at.commit}`,
    `- date: ${at.date}`,
    `- machine: ${at.machine}`,
    '',
    '| proof | promise | | figures | time | seed |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...details,
  ].join('\n');
}

function figuresOf({ figures }: ProofResult): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
