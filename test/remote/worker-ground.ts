import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { AgentEvent, Question } from '../../src/protocol/index.ts';
import type { Engine, TakenJob } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { type JobOrder, type JobResult, jobsBell, storeOrder, streams } from '../../src/remote/job.ts';
import { openJobKey, readKnownKeys, trustKey } from '../../src/remote/keys.ts';
import { sendLetter } from '../../src/remote/letters.ts';
import { nameRepository, sendHistory } from '../../src/remote/repository.ts';
import { openRow } from '../../src/remote/sealed-rows.ts';
import { serveWorker } from '../../src/remote/serve-worker.ts';
import { type JobPlace, runJob } from '../../src/session/remote/run-job.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { type ScriptedModel, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { bindGit } from '../../src/workspace/worktrees/repository.ts';
import { temporaryDirectory } from '../support/index.ts';
import { get } from './support.ts';

export const leaseMs = 2000;

/** A user's machine with a repository, from which jobs are submitted. */
export function openSubmitter(engine: Engine, files: Record<string, string> = { 'a.txt': 'one\n' }) {
  const home = temporaryDirectory().path;
  const top = temporaryDirectory().path;
  const key = get(openJobKey(home));
  const run = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: top,
      encoding: 'utf8',
    }).trim();
  const git = bindGit({ home, env: { PATH: process.env.PATH ?? '' }, clock: systemClock }, top);
  run('init', '-q', '-b', 'main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), text);
  }
  run('add', '-A');
  run('commit', '-q', '-m', 'first');
  let count = 0;
  const rowsOf = async (id: string, stream: string) =>
    get(await engine.read(id, stream, 0, 10_000)).map(({ body }) => openRow(id, stream, body));
  const bodies = async <T>(id: string, stream: string): Promise<T[]> =>
    (await rowsOf(id, stream)).map((row) => JSON.parse(row?.body ?? '') as T);
  return {
    key,
    home,
    git,
    run,
    top,
    /** Enqueues a job, with its first letter. */
    async submit(changes: Partial<JobOrder> = {}, prompt = 'Do it.') {
      const base = run('rev-parse', 'HEAD');
      const repository = get(await nameRepository(git, base));
      get(await sendHistory(engine, key, repository, { git, ref: 'refs/heads/main', tip: base }));
      const order: JobOrder = {
        format: 1,
        id: `job-${++count}-${randomUUID().slice(0, 8)}`,
        sessionId: randomUUID(),
        description: 'Do it',
        repository,
        base,
        stands: '',
        agent: { type: 'general-purpose' },
        model: 'scripted/model',
        permissionMode: 'acceptEdits',
        ...changes,
      };
      get(await storeOrder(engine, order, key));
      get(await sendLetter(engine, key, order.id, { uuid: randomUUID(), text: prompt, delivery: 'queue' }));
      get(await engine.enqueue({ id: order.id, label: 'any', priority: 5 }));
      get(await engine.ring(jobsBell));
      return order;
    },
    rowsOf,
    events: (id: string) => bodies<AgentEvent>(id, streams.events),
    questions: (id: string) => bodies<Question>(id, streams.questions),
    async result(id: string): Promise<JobResult> {
      return waitFor(async () => (await bodies<JobResult>(id, streams.result))[0]);
    },
  };
}

export type Submitter = ReturnType<typeof openSubmitter>;

export interface WorkerSetup extends Partial<JobPlace> {
  engine: Engine;
  trusts?: string[];
  turns?: readonly Turn[] | Parameters<typeof scriptedModel>[0];
  name?: string;
  home?: string;
  slots?: number;
  clock?: Clock;
}

/** A worker in this process, with a home of its own. */
export function startWorker({ engine, trusts = [], turns = [], ...setup }: WorkerSetup) {
  const { name = 'w1', slots = 2, clock = systemClock } = setup;
  const path = setup.home ?? temporaryDirectory().path;
  const userHome = join(path, 'user');
  mkdirSync(userHome, { recursive: true });
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: userHome,
    CADRE_HOME: join(userHome, '.cadre'),
    SHELL: '/bin/sh',
  };
  const around = lookAround({ cwd: userHome, environment, clock });
  for (const key of trusts) get(trustKey(around.home, key, ''));
  const model: ScriptedModel = scriptedModel(turns);
  const stop = new AbortController();
  const said: string[] = [];
  const knownKeys = () => readKnownKeys(around.home);
  const place: JobPlace = {
    worker: name,
    around,
    directory: join(path, 'jobs'),
    highestMode: 'acceptEdits',
    asks: true,
    sandbox: false,
    prepare: async () => ({ ok: true, value: undefined }),
    knownKeys,
    model,
    ...setup,
  };
  const done = serveWorker({
    ...{ engine, clock, name, slots, leaseMs, knownKeys },
    labels: ['any'],
    key: get(openJobKey(around.home)),
    machine: () => ({ host: 'here', load: 0 }),
    runJob: (job) => runJob(job, place),
    say: (text) => said.push(text),
    signal: stop.signal,
  });
  return {
    model,
    said,
    home: around.home,
    place,
    done,
    get key() {
      return get(openJobKey(around.home)).name;
    },
    async end() {
      stop.abort();
      await done;
    },
    leave: () => stop.abort(),
  };
}

export function openMemoryEngine() {
  const server = memoryServer(systemClock);
  return { server, engine: memoryEngine(server, { leaseMs }) };
}

/** Asks until there is an answer; the test's own limit ends it otherwise. */
export async function waitFor<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** An engine that one machine can be cut off from. */
export function cutEngine(engine: Engine): { engine: Engine; cut(isCut: boolean): void } {
  let isAway = false;
  const away = async () => failure('The engine does not answer.');
  const wrapped = Object.fromEntries(
    Object.entries(engine).map(([name, method]) => [
      name,
      typeof method !== 'function' || name === 'listen' || name === 'close'
        ? method
        : async (...words: never[]) => {
            if (isAway) return away();
            const answer = await method(...words);
            return name === 'take' && answer.ok && answer.value ? ok(cutJob(answer.value)) : answer;
          },
    ]),
  ) as unknown as Engine;
  const cutJob = (job: TakenJob): TakenJob => ({
    id: job.id,
    renew: () => (isAway ? away() : job.renew()),
    finish: () => (isAway ? away() : job.finish()),
    release: () => (isAway ? away() : job.release()),
  });
  return {
    engine: wrapped,
    cut(isCut) {
      isAway = isCut;
    },
  };
}
