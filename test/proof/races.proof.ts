import type { Proof } from '../../scripts/proofs.ts';
import {
  type Attacker,
  type RaceGround,
  raceGround,
  secret,
  secretName,
  untilSwapping,
} from './race-ground.ts';
import { careless, denied, type Racer, racers } from './race-tools.ts';
import { type Random, seededRandom } from './random.ts';

const attackers: readonly Attacker[] = ['confined', 'same user', 'mounting'];
/** Tries of the old way before we say that there was no race. */
const maxCareless = 20_000;
const maxDenied = 1000;
/** Further calls of a tool that has opened nothing yet: one that is always refused proves nothing. */
const maxMore = 2000;

const proof: Proof = {
  name: 'races',
  promise:
    'G2: while another process swaps files and directories for links out of the workspace, nothing outside is read, named or written',
  async run(full, seed) {
    const random = seededRandom(seed);
    const sum = { attackers: 0, calls: 0, opened: 0, lost: 0, damaged: 0, carelessLost: 0 };
    const details: string[] = [];
    for (const attacker of attackers) {
      const ground = raceGround(attacker);
      try {
        const isRunning = await untilSwapping(ground);
        if (!isRunning) throw new Error(`The ${attacker} attacker did not start: is bwrap installed?`);
        sum.attackers++;
        // Whoever opens by name sees no mount of another name space either.
        sum.carelessLost += attacker === 'mounting' ? 0 : await loseOnce(ground);
        for (const racer of racers) {
          const raced = await race(racer, ground, callsOf(racer, attacker, full), random);
          sum.calls += raced.calls;
          sum.opened += raced.opened;
          sum.lost += raced.lost;
          if (raced.opened === 0) details.push(`${racer.name} never came through (${attacker})`);
          details.push(...raced.details);
        }
        const damage = ground.damage();
        if (damage !== '') details.push(damage);
        sum.damaged += damage === '' ? 0 : 1;
      } finally {
        ground.end();
      }
    }
    const isReal = sum.carelessLost === 2;
    if (!isReal) details.push('Opening by name lost no race: the attacker is too slow to prove anything.');
    return {
      passed: sum.lost === 0 && sum.damaged === 0 && isReal && details.length === 0,
      figures: { tools: racers.length, ...sum },
      detail: details.slice(0, 20).join('\n'),
    };
  },
};

export default proof;

function callsOf({ isSlow }: Racer, attacker: Attacker, full: boolean): number {
  if (attacker === 'mounting') return full ? 500 : 5;
  if (full) return 5_000;
  return isSlow ? 30 : 80;
}

async function race(
  racer: Racer,
  ground: RaceGround,
  calls: number,
  random: Random,
): Promise<{ calls: number; opened: number; lost: number; details: string[] }> {
  const raced = { calls: 0, opened: 0, lost: 0, details: [] as string[] };
  const first = random.below(1000);
  const isDue = (turn: number) => turn < calls || (raced.opened === 0 && turn < calls + maxMore);
  for (let turn = 0; isDue(turn); turn++) {
    raced.calls++;
    const text = await begin(racer, ground, first + turn);
    const isLost = text.includes(secret) || text.includes(secretName);
    if (isLost) raced.details.push(`${racer.name}: ${text.slice(0, 200)}`);
    raced.lost += isLost ? 1 : 0;
    raced.opened += isFound(text) ? 1 : 0;
  }
  return raced;
}

/** A call that is denied has no race to lose: it is made again a moment later. */
async function begin(racer: Racer, ground: RaceGround, turn: number): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const text = await racer.run(ground, turn);
    if (!text.startsWith(denied) || attempt === maxDenied) return text;
    await new Promise((resolve) => setTimeout(resolve, attempt % 3));
  }
}

/** Something of the workspace was read or written. A refusal names the path too, so the path says nothing. */
function isFound(text: string): boolean {
  return /public|Wrote|Created|Edited|Replaced|^\S+\.txt(?::\d+)?$/m.test(text);
}

/** 1 as soon as a race is lost by whoever opens by name. */
async function loseOnce(ground: RaceGround): Promise<number> {
  for (let turn = 0; turn < maxCareless; turn++)
    if ((await begin(careless, ground, turn)).includes(secret)) return 1;
  return 0;
}
