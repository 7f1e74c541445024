import type { Proof, ProofResult } from '../../scripts/proofs.ts';
import { canTrace } from './kernel/driver.ts';
import { huntMutants } from './kernel/hunt-mutant.ts';
import { judgeMutants } from './kernel/mutants.data.ts';
import { seededRandom } from './random.ts';

/** How many are tried in `npm test`: each takes some seconds. */
const maxReduced = 2;

const proof: Proof = {
  name: 'shell-mutants',
  promise: 'G9: a judge of shell lines with a mistake in its text is contradicted by the kernel',
  async run(full, seed): Promise<ProofResult> {
    if (!canTrace())
      return {
        passed: false,
        figures: {},
        detail: 'bwrap or strace is missing or refused: npm run setup:test',
      };
    const random = seededRandom(seed);
    const waiting = [...judgeMutants];
    const chosen = full
      ? judgeMutants
      : Array.from({ length: maxReduced }, () => waiting.splice(random.below(waiting.length), 1)).flat();
    const missed = (await huntMutants(chosen, seed)).filter(({ isFound }) => !isFound);
    return {
      passed: missed.length === 0,
      figures: { mutants: chosen.length, missed: missed.length },
      detail: missed
        .map(({ mutant, output }) => `Not noticed: ${mutant.name}\n${output.slice(-500)}`)
        .join('\n'),
    };
  },
};

export default proof;
