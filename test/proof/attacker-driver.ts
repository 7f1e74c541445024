/** Inside a machine that is watched: makes the ground, attacks it, and reports. Started by `machine/warden.ts`. */
import { openSession } from '../../src/session/open.ts';
import { type HostileCommand, readCommands } from './attacker-corpus.ts';
import { breakGround, type Ground } from './attacker-ground.ts';
import { inject } from './attacker-inject.ts';
import { obedientModel, order } from './attacker-model.ts';
import { obey } from './attacker-obey.ts';
import { openServers, type Servers } from './attacker-servers.ts';
import { attackedPlace } from './machine/protocol.ts';
import { openWatch } from './machine/watch.ts';
import { seededRandom } from './random.ts';

export interface AttackReport {
  injected: number;
  calls: number;
  ran: number;
  obeyed: number;
  /** Commands that change something, reach a server or print a secret when nothing is in their way. */
  effective: number;
  reached: number;
  faults: string[];
}

const { full, seed } = JSON.parse(process.argv[2] ?? '{}') as { full: boolean; seed: number };
const watch = openWatch();
watch.report(await attack());
process.exit(0);

async function attack(): Promise<AttackReport> {
  // In the reduced proof root and a user get different texts and commands; what is always run, both get.
  const share = process.getuid?.() === 0 ? 0 : 23;
  const random = seededRandom(full ? seed : seed + share);
  const ground = breakGround(attackedPlace);
  const pages = new Map<string, string>();
  const servers = await openServers(ground.run, pages);
  const faults: string[] = [];
  const commands = readCommands({ ground, servers }).filter(
    ({ runs, isAlways }, index) => runs && (full || isAlways || index % 46 === (seed + share) % 46),
  );
  await settle(ground);
  await watch.look(ground.writable);
  const injected = await inject(full ? 200 : 16, { random, ground, servers, watch, pages, faults });
  const obeyed = await obey(commands, { ground, servers, watch, faults, perSettings: full ? 1 : 8 });
  const reached = servers.reached();
  const effective = process.getuid?.() === 0 ? 0 : await countEffective(commands, ground, servers);
  servers.close();
  return {
    injected: injected.cases,
    calls: injected.calls,
    ran: injected.ran,
    obeyed,
    effective,
    reached,
    faults,
  };
}

/** What the harness makes once, at its first start, is no damage. */
async function settle(ground: Ground): Promise<void> {
  const opened = await openSession({
    ...{ cwd: ground.workspace, environment: ground.environment, model: obedientModel(), sandbox: true },
    permissionMode: 'bypassPermissions',
  });
  if (!opened.ok) throw new Error(opened.problem.message);
  await opened.value.run(order({ tool: 'Bash', input: { command: 'touch started' } }));
  await opened.value.close();
}

/** Shows that the watch is not blind: the same lines, unconfined, on a copy of the machine. */
async function countEffective(
  commands: readonly HostileCommand[],
  ground: Ground,
  servers: Servers,
): Promise<number> {
  ground.renew();
  let effective = 0;
  for (const { command } of commands) {
    const before = servers.reached();
    const changes = await watch.control({
      ...{ command, cwd: ground.workspace, environment: ground.environment, allowed: [] },
    });
    if (changes.length > 0 || servers.reached() > before) effective++;
  }
  return effective;
}
