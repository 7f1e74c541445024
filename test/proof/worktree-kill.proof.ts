import type { Proof } from '../../scripts/proofs.ts';
import { fakeProvider, say } from '../../src/testing/index.ts';
import { seededRandom } from './random.ts';
import { type Action, actions, openScene } from './worktree-ground.ts';

/** A kill at a step is exact; one in between meets git itself at work. */
type Kill = { action: Action } & ({ step: number } | { afterMs: number });

const proof: Proof = {
  name: 'worktree-kill',
  promise:
    'WT3 WT4 G5: killed with -9 at each step of making, leaving, dropping and landing worktrees, and at random moments between, 3,000 files being landed among them: after one start no work is lost, nothing is half merged, nothing clean is left, and git, our records, the disk and cadre doctor agree',
  async run(full, seed) {
    const random = seededRandom(seed);
    await using provider = await fakeProvider({ script: () => say('Hello.') });
    const measured: Measured[] = [];
    for (const action of actions) measured.push(await measure(action));
    const kills: Kill[] = measured.flatMap(({ action, steps, tookMs }) => [
      ...steps.map((_, step) => ({ action, step })),
      ...Array.from({ length: full ? 40 : 1 }, () => ({ action, afterMs: random.below(tookMs) })),
    ]);
    const inTheMiddle = Array.from({ length: full ? 40 : 1 }, () => random.below(longestLandingMs)).map(
      (afterMs): Kill => ({ action: 'land many', afterMs }),
    );
    // Each step by itself is in the tests of landing and of worktrees.
    const chosen = full
      ? kills
      : kills.filter((kill, index) => 'afterMs' in kill || index % 16 === seed % 16);
    const sum = { steps: 0, 'random moments': 0, killed: 0, faults: 0 };
    const found: string[] = [];
    for (const kill of [...chosen, ...inTheMiddle]) {
      const { killed, faults } = await perform(kill, provider.url);
      if ('step' in kill) sum.steps++;
      else sum['random moments']++;
      if (killed) sum.killed++;
      if ('step' in kill && !killed) faults.push('was not killed');
      found.push(...faults.map((fault) => `${describe(kill, measured)}: ${fault}`));
    }
    sum.faults = found.length;
    return { passed: found.length === 0, figures: sum, detail: found.slice(0, 12).join('\n') };
  },
};

export default proof;

/** From the lock on the index to the end, for all those files. */
const longestLandingMs = 900;

interface Measured {
  action: Action;
  steps: string[];
  tookMs: number;
}

/** Once without a kill: which steps there are, and how long it takes. */
async function measure(action: Action): Promise<Measured> {
  const scene = await openScene(action);
  const start = performance.now();
  const { output } = await scene.run(action, 'none');
  const tookMs = Math.ceil(performance.now() - start);
  scene.clear();
  return { action, steps: JSON.parse(output.split('\n').at(-1) ?? '[]') as string[], tookMs };
}

async function perform(kill: Kill, provider: string): Promise<{ killed: boolean; faults: string[] }> {
  const { action } = kill;
  const scene = await openScene(action);
  try {
    const { killed } =
      'step' in kill ? await scene.run(action, `#${kill.step}`) : await scene.run(action, '', kill.afterMs);
    const code = await scene.startAgain(provider);
    const faults = scene.faults(action);
    return { killed, faults: code === 0 ? faults : [`the start afterwards ended with ${code}`, ...faults] };
  } finally {
    scene.clear();
  }
}

function describe(kill: Kill, measured: readonly Measured[]): string {
  if ('afterMs' in kill) return `${kill.action} after ${kill.afterMs} ms`;
  const steps = measured.find(({ action }) => action === kill.action)?.steps ?? [];
  return `${kill.action} at step ${kill.step} (${steps[kill.step]})`;
}
