import { spawnSync } from 'node:child_process';
import type { Proof, ProofResult } from '../../scripts/proofs.ts';
import { reachByFree, reachByGranted } from '../permissions/text-values.ts';

/** Each option of each installed program in our tables that is said to take text is given names of a file, and run. */
const proof: Proof = {
  name: 'text-values',
  promise: 'G9: text that an option takes is never the name of a file that may not be read',
  async run(full): Promise<ProofResult> {
    if (spawnSync('strace', ['--version'], { stdio: 'ignore' }).status !== 0)
      return { passed: false, figures: {}, detail: 'strace is missing: npm run setup:test' };
    const [free, granted] = [reachByFree(full), reachByGranted(full)];
    const opened = [...free.opened, ...granted.opened];
    return {
      passed: opened.length === 0 && free.lines > 100,
      figures: { 'free lines': free.lines, 'granted lines': granted.lines, opened: opened.length },
      detail: opened.join('\n'),
    };
  },
};

export default proof;
