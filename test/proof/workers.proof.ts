import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Proof } from '../../scripts/proofs.ts';
import { type EngineServer, hasPostgres, hasRedis, postgresServer, redisServer } from '../remote/servers.ts';
import { auditJob, type Fleet, openFleet, pause, readUse, waitForResults } from './worker-fleet.ts';

const takeoverMs = 2_000;
const resumeMs = 20_000;
const minutes = 60_000;

interface Figures {
  agents: number;
  taken: number[];
  resumed: number[];
  idle: { cpu: number; megabytes: number }[];
  away: number[];
  faults: string[];
}

const proof: Proof = {
  name: 'workers',
  promise:
    'G14: with one worker killed and one paused past its lease all remote agents end, no call runs twice, nothing late is stored, and a dead worker is replaced within lease + 2 s; an engine that is away loses nothing',
  async run(full) {
    const figures: Figures = { agents: 0, taken: [], resumed: [], idle: [], away: [], faults: [] };
    for (const [name, make] of chooseServers(full))
      await inDirectory(async (directory) => {
        const server = await make(directory);
        const note = (fault: string) => figures.faults.push(`${name}: ${fault}`);
        await runFleet(server, full, figures, note);
      });
    const most = (values: readonly number[]) => Math.round(Math.max(0, ...values));
    return {
      passed: figures.faults.length === 0,
      figures: {
        agents: figures.agents,
        'slowest takeover, ms': most(figures.taken),
        'slowest continuation after an outage, ms': most(figures.resumed),
        'processor while the engine is away, %': Number(Math.max(0, ...figures.away).toFixed(1)),
        'processor of an idle worker, %': Number(
          Math.max(0, ...figures.idle.map(({ cpu }) => cpu)).toFixed(2),
        ),
        'memory of an idle worker, MB': most(figures.idle.map(({ megabytes }) => megabytes)),
      },
      detail: figures.faults.join('\n'),
    };
  },
};

export default proof;

function chooseServers(full: boolean): [string, (directory: string) => Promise<EngineServer>][] {
  const servers: [string, boolean, (directory: string) => Promise<EngineServer>][] = [
    ['Redis', hasRedis(), redisServer],
    ['PostgreSQL', hasPostgres(), postgresServer],
  ];
  const found = servers.flatMap(([name, isHere, make]) =>
    isHere ? [[name, make] as [string, typeof make]] : [],
  );
  if (full && found.length < 2) throw new Error('Redis and PostgreSQL are needed.');
  return full ? found : found.slice(0, 1);
}

async function runFleet(
  server: EngineServer,
  full: boolean,
  figures: Figures,
  note: (fault: string) => void,
): Promise<void> {
  const names = full ? ['a', 'b', 'c', 'd'] : ['a', 'b', 'c'];
  const leaseMs = full ? 5_000 : 3_000;
  await using fleet = await openFleet({
    ...{ server, names, leaseMs, slots: full ? 8 : 2 },
    ...{ calls: 3, callSeconds: full ? 0.5 : 0.3 },
  });
  for (const name of names) await fleet.begin(name);
  if (full) await measureIdle(fleet, figures, note);
  await endWorkers(fleet, full ? 200 : 6, figures, note);
  // Reduced, that is in test/cli/worker.test.ts.
  for (let kill = 0; kill < (full ? 5 : 0); kill++) await measureTakeover(fleet, figures, note);
  for (const seconds of full ? [2, 30, 120] : []) await outlast(server, fleet, seconds, figures, note);
}

async function measureIdle(fleet: Fleet, { idle }: Figures, note: (fault: string) => void): Promise<void> {
  const measuredMs = 20_000;
  await pause(3_000);
  const pids = [...fleet.workers.values()].map(({ child }) => child.pid ?? 0);
  const before = pids.map(readUse);
  await pause(measuredMs);
  for (const [at, pid] of pids.entries()) {
    const { cpuMs, megabytes } = readUse(pid);
    const cpu = ((cpuMs - (before[at]?.cpuMs ?? 0)) / measuredMs) * 100;
    idle.push({ cpu, megabytes });
    if (cpu > 0.5) note(`an idle worker uses ${cpu.toFixed(2)} % of a processor`);
  }
}

/** Many agents; one worker is killed and one paused while they work. */
async function endWorkers(
  fleet: Fleet,
  agents: number,
  figures: Figures,
  note: (fault: string) => void,
): Promise<void> {
  const ids: string[] = [];
  for (let count = 0; count < agents; count++) ids.push(await fleet.submit());
  figures.agents += agents;
  const [killed, paused] = [...fleet.workers.values()];
  await waitUntil(
    () => killed?.said().includes('Running') === true && paused?.said().includes('Running') === true,
  );
  killed?.signal('SIGKILL');
  paused?.signal('SIGSTOP');
  await pause(fleet.leaseMs * 1.5);
  paused?.signal('SIGCONT');
  const open = await waitForResults(fleet, ids, agents > 50 ? 30 * minutes : 4 * minutes);
  for (const id of open) note(`${id} did not end`);
  for (const id of ids) for (const fault of await auditJob(fleet, id)) note(fault);
  await fleet.begin('a');
}

/** A calm fleet: the time from the death of a worker until another one runs its job. */
async function measureTakeover(
  fleet: Fleet,
  { taken }: Figures,
  note: (fault: string) => void,
): Promise<void> {
  const id = await fleet.submit();
  const countRuns = () =>
    [...fleet.workers.values()].reduce((sum, { said }) => sum + said().split(`Running ${id}`).length - 1, 0);
  await waitUntil(() => countRuns() > 0);
  const [name, holder] = [...fleet.workers].find(([, { said }]) => said().includes(`Running ${id}`)) ?? [];
  const begun = performance.now();
  holder?.signal('SIGKILL');
  await waitUntil(() => countRuns() > 1);
  const ms = performance.now() - begun;
  taken.push(ms);
  if (ms > fleet.leaseMs + takeoverMs) note(`${id} was taken over after ${Math.round(ms)} ms`);
  await waitForResults(fleet, [id], 2 * minutes);
  for (const fault of await auditJob(fleet, id)) note(fault);
  if (name !== undefined) await fleet.begin(name);
}

/** The engine is killed while agents work, and started again. */
async function outlast(
  server: EngineServer,
  fleet: Fleet,
  seconds: number,
  { resumed, away }: Figures,
  note: (fault: string) => void,
): Promise<void> {
  const ids = [await fleet.submit(), await fleet.submit(), await fleet.submit()];
  await waitUntil(() =>
    ids.every((id) => [...fleet.workers.values()].some(({ said }) => said().includes(id))),
  );
  await server.kill();
  // What runs ends first.
  const settleMs = Math.min(10_000, seconds * 500);
  await pause(settleMs);
  const pids = [...fleet.workers.values()].map(({ child }) => child.pid ?? 0);
  const before = pids.map(readUse);
  const measuredMs = seconds * 1000 - settleMs;
  await pause(measuredMs);
  const used = pids.map((pid, at) => ((readUse(pid).cpuMs - (before[at]?.cpuMs ?? 0)) / measuredMs) * 100);
  await server.start();
  const back = performance.now();
  const open = await waitForResults(fleet, ids, 3 * minutes);
  resumed.push(performance.now() - back);
  if (seconds >= 30) away.push(...used);
  if (seconds >= 30 && Math.max(...used) > 5)
    note(`${Math.max(...used).toFixed(1)} % of a processor while away`);
  if (performance.now() - back > resumeMs + fleet.leaseMs)
    note(`it took ${Math.round(performance.now() - back)} ms to end`);
  for (const id of open) note(`${id} did not end after an outage of ${seconds} s`);
  for (const id of ids) for (const fault of await auditJob(fleet, id)) note(fault);
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await pause(20);
}

async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
