import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../src/remote/engine.ts';
import { streams } from '../../src/remote/job.ts';
import { openEngine } from '../../src/remote/open-engine.ts';
import { call, type FakeProvider, fakeProvider, say } from '../../src/testing/index.ts';
import type { EngineServer } from '../remote/servers.ts';
import { openSubmitterAt, type Submitter } from '../remote/submitter.ts';
import { get } from '../remote/support.ts';
import { asWorker, startWorkerProcess, type WorkerProcess } from '../remote/worker-processes.ts';

const program = join(import.meta.dirname, '..', '..', 'dist', 'cadre');

/** Workers as programs, an engine, and a provider whose agents make calls that leave a trace outside. */
export interface Fleet extends AsyncDisposable {
  readonly engine: Engine;
  readonly submitter: Submitter;
  readonly workers: Map<string, WorkerProcess>;
  /** Calls of each agent. */
  readonly calls: number;
  readonly leaseMs: number;
  begin(name: string): Promise<WorkerProcess>;
  submit(): Promise<string>;
  /** Calls of a job that have really run, in order. */
  readTrace(id: string): string[];
}

export interface FleetPlan {
  server: EngineServer;
  names: readonly string[];
  leaseMs: number;
  slots: number;
  /** Calls of each agent. */
  calls: number;
  callSeconds: number;
}

export async function openFleet(plan: FleetPlan): Promise<Fleet> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'cadre-proof-')));
  await plan.server.start();
  const provider = await fakeProvider({
    script: ({ messages }) => answer(JSON.stringify(messages), directory, plan),
  });
  const place = (name: string) => describePlace(plan.server, provider, directory, name);
  const prepared = asWorker(place(plan.names[0] ?? ''), ['worker', 'prepare']);
  if (prepared.code !== 0) throw new Error(prepared.err);
  const engine = get(await openEngine(plan.server.url, { leaseMs: plan.leaseMs }));
  const submitter = openSubmitterAt(engine, { 'a.txt': 'one\n' }, join(directory, 'submitter'));
  const keys = plan.names.map((name) => asWorker(place(name), ['worker', 'key']).out.trim());
  for (const name of plan.names)
    for (const key of [submitter.key.name, ...keys]) asWorker(place(name), ['worker', 'trust', key]);
  const workers = new Map<string, WorkerProcess>();
  const names = new Map<string, string>();
  let count = 0;
  return {
    engine,
    submitter,
    workers,
    calls: plan.calls,
    leaseMs: plan.leaseMs,
    async begin(name) {
      const args = ['--lease', `${plan.leaseMs}ms`, '--slots', `${plan.slots}`];
      const worker = startWorkerProcess({ ...place(name), args });
      workers.set(name, worker);
      while (!worker.said().includes('It accepts jobs') && worker.child.exitCode === null) await pause(50);
      return worker;
    },
    async submit() {
      const changes = { model: 'anthropic/claude-sonnet-4-5', permissionMode: 'bypassPermissions' as const };
      const { id } = await submitter.submit(changes, `Work on t${++count}t.`, 'default');
      names.set(id, `t${count}t`);
      return id;
    },
    readTrace(id) {
      try {
        return readFileSync(join(directory, `${names.get(id)}.trace`), 'utf8')
          .trim()
          .split('\n');
      } catch {
        return [];
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { child } of workers.values()) child.kill('SIGKILL');
      await engine.close();
      await provider.close();
      await plan.server.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function describePlace(server: EngineServer, provider: FakeProvider, ground: string, name: string) {
  const directory = join(ground, name);
  mkdirSync(directory, { recursive: true });
  return { program, directory, name, engine: server.url, provider: provider.url };
}

/** Each call has its number. None is made twice by the model, so a trace with a number twice was run twice. */
function answer(messages: string, directory: string, { calls, callSeconds }: FleetPlan) {
  const made = messages.split('"tool_use"').length - 1;
  if (made >= calls) return say('Done.');
  const name = /Work on (t\d+t)\./.exec(messages)?.[1] ?? 'unknown';
  const command = `sleep ${callSeconds}; echo ${made} >> ${directory}/${name}.trace; echo ${made} >> kept.txt`;
  return call('Bash', { command });
}

/** Faults of a job that has ended: calls that ran twice, rows that came late, more than one end. */
export async function auditJob(fleet: Fleet, id: string): Promise<string[]> {
  const { submitter } = fleet;
  const steps = await submitter.rowsOf(id, streams.steps);
  const epochs = steps.map((row) => Number(row?.key.split('-')[0]));
  const trace = fleet.readTrace(id);
  const results = await submitter.tryResult(id);
  const begun = new Set(epochs).size;
  return [
    ...(new Set(trace).size < trace.length ? [`${id}: a call ran twice: ${trace.join(' ')}`] : []),
    ...(epochs.some((epoch, at) => at > 0 && epoch < (epochs[at - 1] ?? 0)) ? [`${id}: a late row`] : []),
    ...(results.length === 1 ? [] : [`${id}: ${results.length} results`]),
    ...(results[0]?.outcome.kind === 'completed' ? [] : [`${id}: ${JSON.stringify(results[0]?.outcome)}`]),
    ...(steps.some((row) => row === undefined) ? [`${id}: a row that no worker signed`] : []),
    // One call in flight may be lost with each worker, and no other.
    ...(trace.length < fleet.calls - (begun - 1)
      ? [`${id}: ${trace.length} calls ran, by ${begun} workers`]
      : []),
  ];
}

export async function waitForResults(fleet: Fleet, ids: readonly string[], maxMs: number): Promise<string[]> {
  const begun = performance.now();
  let open = [...ids];
  while (open.length > 0 && performance.now() - begun < maxMs) {
    const found = await Promise.all(open.map(async (id) => (await fleet.submitter.tryResult(id)).length > 0));
    open = open.filter((_, at) => !found[at]);
    await pause(200);
  }
  return open;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Processor time of a process so far, in milliseconds, and its memory in megabytes. */
export function readUse(pid: number): { cpuMs: number; megabytes: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, megabytes: Number(resident) / 1024 };
}
