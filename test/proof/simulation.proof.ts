import type { Proof } from '../../scripts/proofs.ts';
import { exploreAll } from '../simulation/explore.ts';
import { playFence } from '../simulation/fence-cases.ts';
import { measureRun, playInbox } from '../simulation/inbox-cases.ts';
import { playLeases } from '../simulation/lease-cases.ts';
import { describeFailure, runSeed } from '../simulation/run-seed.ts';

const comings = ['queued', 'steering', 'taskEnd', 'interrupt'] as const;

const proof: Proof = {
  name: 'simulation',
  promise:
    'G3 G4: in simulated worlds of crashes, pauses, clock jumps, faulty disks and networks nothing is lost, doubled or done by a process that was passed, and in small cases in no order at all',
  async run(full, seed, hours = 0) {
    const failures: string[] = [];
    const sum = {
      worlds: 0,
      processes: 0,
      kills: 0,
      pauses: 0,
      effects: 0,
      announcements: 0,
      orders: 0,
      broken: 0,
    };
    const end = performance.now() + hours * 3_600_000;
    const least = full ? 50_000 : 50;
    for (let next = seed; next < seed + least || performance.now() < end; next++) {
      const run = await runSeed(next);
      const { world } = run;
      sum.worlds++;
      sum.processes += world.processes.length;
      sum.kills += world.crashes;
      sum.pauses += world.pauses;
      sum.effects += world.ledger.effects;
      sum.announcements += world.ledger.announcements;
      if (run.faults.length > 0) failures.push(describeFailure(run));
    }
    if (full) {
      const explored = await exploreDeeply();
      sum.orders = explored.orders;
      failures.push(...explored.failures);
    }
    sum.broken = failures.length;
    const isRich = sum.kills > 0 && sum.pauses > 0 && sum.effects > 0;
    return {
      passed: failures.length === 0 && isRich,
      figures: sum,
      detail: failures.slice(0, 10).join('\n'),
    };
  },
};

export default proof;

type Play = Parameters<typeof exploreAll>[0];

/** Further than the tests: more stops and kills, and all pairs of letters. */
async function exploreDeeply(): Promise<{ orders: number; failures: string[] }> {
  const ticks = await measureRun({ withTool: true });
  const plays: [string, Play][] = [
    ...comings.flatMap((first) =>
      comings.map((second): [string, Play] => [
        `inbox: ${first}, ${second}`,
        (choose) => playInbox({ come: [first, second], withTool: true }, ticks, choose),
      ]),
    ),
    ['leases: claim and claim', (choose) => playLeases('claim and claim', choose, { switches: 3, kills: 1 })],
    ['leases: wake and steal', (choose) => playLeases('wake and steal', choose, { switches: 3, kills: 0 })],
    ['leases: leave and claim', (choose) => playLeases('leave and claim', choose, { switches: 2, kills: 1 })],
    ['leases: three', (choose) => playLeases('wake, steal and steal', choose, { switches: 2, kills: 1 })],
    ['fence: two', (choose) => playFence('wake and take over', choose, { switches: 2, kills: 1 })],
    [
      'fence: three',
      (choose) => playFence('wake, take over and take over', choose, { switches: 2, kills: 0 }),
    ],
  ];
  const failures: string[] = [];
  let orders = 0;
  for (const [name, play] of plays) {
    const { paths, fault } = await exploreAll(play);
    orders += paths;
    if (fault) failures.push(`${name}: ${fault.reason}, by the choices ${fault.path.join(' ')}`);
  }
  return { orders, failures };
}
