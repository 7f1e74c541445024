import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyRepository, type MutantCopy } from '../../../scripts/mutant-copy.ts';
import type { JudgeMutant } from './mutants.data.ts';

const repository = join(import.meta.dirname, '../../..');

export interface Hunted {
  readonly mutant: JudgeMutant;
  readonly isFound: boolean;
  readonly output: string;
}

/** Runs the oracle against each of these judges, in one copy of the repository. */
export async function huntMutants(mutants: readonly JudgeMutant[], seed: number): Promise<Hunted[]> {
  using copy = copyRepository(repository);
  const hunted: Hunted[] = [];
  for (const mutant of mutants) hunted.push(await hunt(copy, mutant, seed));
  return hunted;
}

async function hunt(copy: MutantCopy, mutant: JudgeMutant, seed: number): Promise<Hunted> {
  copy.change(fileOf(mutant), mutate(mutant));
  const args = ['test/proof/kernel/hunt.ts', '--seed', String(seed), '--layouts', mutant.layouts.join(',')];
  const child = spawn(process.execPath, args, { cwd: copy.directory, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  // Whatever else ends it with a code says nothing about the judge.
  return { mutant, isFound: code === 1 && output.includes('replay.ts'), output };
}

/** The text of its file with the mistake; it throws where that text is not there, or not once. */
export function mutate({ name, from, to, ...mutant }: JudgeMutant): string {
  const parts = readFileSync(join(repository, fileOf(mutant)), 'utf8').split(from);
  if (parts.length !== 2)
    throw new Error(`${mutant.file}: the text of the mutant "${name}" is there ${parts.length - 1} times`);
  return parts.join(to);
}

function fileOf({ file }: Pick<JudgeMutant, 'file'>): string {
  return `src/${file}`;
}
