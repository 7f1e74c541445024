import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { CeilingTree } from './ceiling-tree.ts';
import { seededRandom } from './random.ts';

const proof: Proof = {
  name: 'agent-ceiling',
  promise:
    'G2: random trees of agents, forks, messages, definitions, --tools and changes of mode never do what the session refuses to everybody, or their role to them',
  async run(full, seed) {
    const sum = {
      trees: full ? 5_000 : 50,
      done: 0,
      refused: 0,
      agents: 0,
      forks: 0,
      messages: 0,
      changes: 0,
    };
    const faults: string[] = [];
    for (let index = 0; index < sum.trees; index++) {
      const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
      try {
        const tree = new CeilingTree(directory, seededRandom(seed + index));
        await tree.grow();
        for (const key of ['done', 'refused', 'agents', 'forks', 'messages', 'changes'] as const)
          sum[key] += tree.counts[key];
        faults.push(...tree.faults.map((fault) => `tree ${seed + index}: ${fault}`));
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    }
    const isRich = sum.done > sum.trees && sum.refused > sum.trees && sum.agents > sum.trees && sum.forks > 0;
    return {
      passed: faults.length === 0 && isRich,
      figures: { ...sum, faults: faults.length },
      detail: faults.slice(0, 10).join('\n'),
    };
  },
};

export default proof;
