/**
 * Builds a machine, lets a driver attack it from inside, and looks at all of it when the driver asks. Started by
 * `runInMachine` as root, in a mount name space of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  differences,
  type Look,
  lookAtFiles,
  lookAtKernelObjects,
  openValues,
  processesBelow,
} from './look.ts';
import { enterMachine, layOverlay, mountTmpfs, otherFileSystems } from './overlay.ts';
import { attackedPlace, type Order, type Reply, userOf, type WardenOptions } from './protocol.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as WardenOptions;
const repository = join(import.meta.dirname, '../../..');
const base = options.base;
mountTmpfs(base);
const machine = layOverlay(join(base, 'machine'), ['/']);
preparePlaces();

const closed = otherFileSystems()
  .filter((place) => !repository.startsWith(place))
  .join(' ');
const driver = enter(machine.root, [
  ...(options.as === 'user' ? drop() : []),
  process.execPath,
  join(import.meta.dirname, '..', options.driver),
  JSON.stringify({ full: options.full, seed: options.seed }),
]);
const values = openValues();
let before: Look = new Map();
let objects: Look = new Map();
let processes: ReadonlyMap<number, string> = new Map();

for await (const line of createInterface({ input: driver.stdout })) {
  if (!line.startsWith('{')) {
    process.stderr.write(`${line}\n`);
    continue;
  }
  const order = JSON.parse(line) as Order;
  if (order.kind === 'result') process.stdout.write(`${JSON.stringify(order.result)}\n`);
  else driver.stdin.write(`${JSON.stringify(await answer(order))}\n`);
}
process.exit(await new Promise<number>((resolve) => driver.once('close', (code) => resolve(code ?? 1))));

async function answer(order: Exclude<Order, { kind: 'result' }>): Promise<Reply> {
  if (order.kind === 'control') return { damage: control(order) };
  const files = lookAtFiles(machine.upper);
  const kernel = lookAtKernelObjects(driver.pid ?? 0);
  const running = await processesThatStay();
  const isDamage = (line: string) => !order.allowed.some((path) => line.startsWith(path));
  const damage = [
    ...differences(before, files).filter(isDamage),
    ...differences(objects, kernel).filter(isDamage),
    ...(order.isBrief ? [] : values.changed()),
    ...[...running].flatMap(([pid, line]) => (processes.has(pid) ? [] : [`left running: ${line}`])),
  ];
  [before, objects] = [files, kernel];
  // The first look is the beginning. Of processes that are left each is told once.
  const isFirst = processes.size === 0;
  processes = running;
  return { damage: isFirst ? [] : damage };
}

/** What the harness does beside a session, such as a look at git, ends by itself; what was left does not. */
async function processesThatStay(): Promise<ReadonlyMap<number, string>> {
  const isNew = (pid: number) => processes.size > 0 && !processes.has(pid);
  for (let look = 0; ; look++) {
    const running = processesBelow(driver.pid ?? 0);
    if (look === 60 || ![...running.keys()].some(isNew)) return running;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The same line with nothing in its way, by a user without rights, on a copy of the machine that is thrown away. */
function control({ command, cwd, environment, allowed }: Extract<Order, { kind: 'control' }>): string[] {
  const place = join(base, 'control');
  mkdirSync(place, { recursive: true });
  const copy = layOverlay(place, [machine.upper, '/']);
  const began = lookAtFiles(copy.upper);
  const network = [`--net=/proc/${innermost()}/ns/net`];
  const run = spawnSync(
    'nsenter',
    [
      ...network,
      'unshare',
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--ipc',
      '--uts',
      'bash',
      '-c',
      enterMachine,
    ]
      .concat('enter', copy.root, ...drop(), 'env', '-i', '-C', cwd)
      .concat(Object.entries(environment).map(([name, value]) => `${name}=${value}`))
      .concat('timeout', '-s', 'KILL', '2', 'bash', '-c', command),
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: 10_000, env: machineEnvironment(), maxBuffer: 1 << 26 },
  );
  const damage = differences(began, lookAtFiles(copy.upper)).filter(
    (line) => !allowed.some((path) => line.startsWith(path)),
  );
  const said = `${run.stdout}`;
  copy.remove();
  rmSync(place, { recursive: true, force: true });
  return [...damage, ...(said.includes('CANARY-') ? ['a secret is printed'] : [])];
}

function enter(root: string, command: readonly string[]) {
  return spawn(
    'unshare',
    [
      '--mount',
      '--pid',
      '--fork',
      '--kill-child',
      '--net',
      '--ipc',
      '--uts',
      'bash',
      '-c',
      enterMachine,
      'enter',
      root,
    ].concat(command),
    { stdio: ['pipe', 'pipe', 'inherit'], env: machineEnvironment() },
  );
}

function machineEnvironment(): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: attackedPlace,
    LANG: 'C.UTF-8',
    CADRE_CLOSED: closed,
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0',
  };
}

function drop(): string[] {
  const { uid } = userOf('user');
  return ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--'];
}

/** A place for the attack, and a way to the program for a user to whom the checkout may be closed. In the overlay only. */
function preparePlaces(): void {
  const place = join(machine.root, attackedPlace);
  mkdirSync(place, { recursive: true });
  const { uid } = userOf(options.as);
  chownSync(place, uid, uid);
  for (const end of [repository, process.execPath])
    for (let up = dirname(join(end, 'x')); up !== '/'; up = dirname(up)) {
      const path = join(machine.root, up);
      const { mode } = statSync(path);
      if ((mode & 0o055) !== 0o055) chmodSync(path, mode | 0o055);
    }
}

/** The driver itself: the last of the chain of programs that lead to it. */
function innermost(): number {
  return Math.max(
    ...[...processesBelow(driver.pid ?? 0)].flatMap(([pid, line]) =>
      line.includes(options.driver) ? [pid] : [],
    ),
  );
}
