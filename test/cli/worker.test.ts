import { expect } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { streams } from '../../src/remote/job.ts';
import { openEngine } from '../../src/remote/open-engine.ts';
import { listWorkers } from '../../src/remote/worker-note.ts';
import { call, fakeProvider, say } from '../../src/testing/index.ts';
import { needsPostgres, needsRedis } from '../remote/needs-servers.ts';
import { type EngineServer, postgresServer, redisServer } from '../remote/servers.ts';
import { openSubmitterAt, type Submitter, waitFor } from '../remote/submitter.ts';
import { get } from '../remote/support.ts';
import { asWorker, startWorkerProcess, type WorkerProcess } from '../remote/worker-processes.ts';
import { temporaryDirectory } from '../support/index.ts';
import { program } from './support.ts';

needsRedis(
  'RM2 RM5 G14 on Redis, a worker that is killed, paused or cut off is replaced, and nothing late is stored',
  async () => endWorkers(await redisServer(temporaryDirectory().path)),
  90_000,
);

needsPostgres(
  'RM2 RM5 G14 on PostgreSQL, a worker that is killed, paused or cut off is replaced, and nothing late is stored',
  async () => endWorkers(await postgresServer(temporaryDirectory().path)),
  120_000,
);

async function endWorkers(server: EngineServer): Promise<void> {
  const ground = temporaryDirectory().path;
  await server.start();
  const running: WorkerProcess[] = [];
  await using provider = await fakeProvider({
    script: ({ messages }) => answer(JSON.stringify(messages), ground),
  });
  try {
    const plan = (name: string) => {
      const directory = join(ground, name);
      mkdirSync(directory, { recursive: true });
      return { program, directory, name, engine: server.url, provider: provider.url };
    };
    const prepared = asWorker(plan('a'), ['worker', 'prepare']);
    expect(prepared).toMatchObject({ code: 0 });
    const engine = get(await openEngine(server.url, { leaseMs: 2000 }));
    const submitter = openSubmitterAt(engine, { 'a.txt': 'one\n' }, join(ground, 'submitter'));
    const names = ['a', 'b'] as const;
    const keys = names.map((name) => asWorker(plan(name), ['worker', 'key']).out.trim());
    for (const name of names)
      for (const key of [submitter.key.name, ...keys])
        expect(asWorker(plan(name), ['worker', 'trust', key])).toMatchObject({ code: 0 });
    const begin = (name: string) => {
      const worker = startWorkerProcess({ ...plan(name), args: ['--lease', '3s', '--slots', '1'] });
      running.push(worker);
      return worker;
    };
    const scene = { submitter, ground };
    const first = begin('a');
    await waitFor(() => first.said().includes('It accepts jobs of') || undefined);
    expect(listListening(first.child.pid ?? 0)).toEqual([]);
    const second = await pauseFirst(first, () => begin('b'), scene);
    // Only one that works on it can be killed at it.
    second.signal('SIGTERM');
    await second.ended;
    await killFirst(first, () => begin('b'), scene);
    await restartEngine(server, scene);
    expect(get(await listWorkers(engine)).some(({ name }) => name === 'b')).toBe(true);
    const last = running.at(-1);
    last?.signal('SIGTERM');
    expect(await last?.ended).toBe(0);
    expect(last?.said()).toContain('All jobs are given back.');
    expect(get(await listWorkers(engine)).some(({ name }) => name === 'b')).toBe(false);
    await engine.close();
  } finally {
    for (const { child } of running) child.kill('SIGKILL');
    await server.kill();
  }
}

/** TCP sockets of a process that others could connect to. */
function listListening(pid: number): string[] {
  const listening = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  const open = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkQuietly(`/proc/${pid}/fd/${name}`));
  expect(open.length).toBeGreaterThan(3);
  return open.filter((target) => listening.includes(target));
}

function readlinkQuietly(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // It was closed meanwhile.
    return '';
  }
}

interface Scene {
  submitter: Submitter;
  ground: string;
}

/** It stays alive, and is fenced when it wakes. */
async function pauseFirst(first: WorkerProcess, begin: () => WorkerProcess, scene: Scene) {
  const order = await submitAndWait('paused', scene);
  first.signal('SIGSTOP');
  const second = begin();
  expect((await scene.submitter.result(order.id)).outcome).toMatchObject({ text: 'Continued.' });
  writeFileSync(join(scene.ground, 'paused.go'), '');
  first.signal('SIGCONT');
  await waitFor(() => first.said().includes(`Lost ${order.id}`) || undefined);
  await expectWhole('paused', order.id, scene);
  return second;
}

async function killFirst(first: WorkerProcess, begin: () => WorkerProcess, scene: Scene): Promise<void> {
  const order = await submitAndWait('killed', scene);
  first.signal('SIGKILL');
  begin();
  expect((await scene.submitter.result(order.id)).outcome).toMatchObject({ text: 'Continued.' });
  await expectWhole('killed', order.id, scene);
  writeFileSync(join(scene.ground, 'killed.go'), '');
}

/** While a call runs. It ends while the engine is away. */
async function restartEngine(server: EngineServer, scene: Scene): Promise<void> {
  const order = await submitAndWait('outage', scene);
  await server.kill();
  writeFileSync(join(scene.ground, 'outage.go'), '');
  await new Promise((resolve) => setTimeout(resolve, 2000));
  await server.start();
  const { outcome } = await waitFor(async () => {
    const rows = await scene.submitter.tryResult(order.id);
    return rows[0];
  });
  expect(['Done.', 'Continued.']).toContain(outcome.text);
  await expectWhole('outage', order.id, scene);
}

async function submitAndWait(name: string, { submitter, ground }: Scene) {
  const order = await submitter.submit(
    { model: 'anthropic/claude-sonnet-4-5', permissionMode: 'bypassPermissions' },
    `Work on ${name}.`,
    'default',
  );
  await waitFor(() => existsSync(join(ground, `${name}.begun`)) || undefined);
  return order;
}

/** The call was begun once; and after a worker had begun, no earlier one stored anything. */
async function expectWhole(name: string, id: string, { submitter, ground }: Scene): Promise<void> {
  expect(readFileSync(join(ground, `${name}.runs`), 'utf8')).toBe('x\n');
  const epochs = (await submitter.rowsOf(id, streams.steps)).map((row) => Number(row?.key.split('-')[0]));
  expect(epochs).toEqual(epochs.toSorted((a, b) => a - b));
  expect((await submitter.rowsOf(id, streams.result)).length).toBe(1);
}

function answer(messages: string, ground: string) {
  const name = /Work on (\w+)\./.exec(messages)?.[1] ?? 'unknown';
  const file = (end: string) => join(ground, `${name}.${end}`);
  const results = messages.split('"tool_result"').length - 1;
  if (messages.includes('You continue on another one')) return say('Continued.');
  if (results === 0) return call('Write', { file_path: 'kept.txt', content: name });
  if (results > 1) return say('Done.');
  const waiting = `until [ -e ${file('go')} ]; do sleep 0.1; done`;
  return call('Bash', { command: `echo x >> ${file('runs')}; touch ${file('begun')}; ${waiting}` });
}
