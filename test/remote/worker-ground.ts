import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { failure, ok } from '../../src/lib/result.ts';
import type { Engine, TakenJob } from '../../src/remote/engine.ts';
import { memoryEngine, memoryServer } from '../../src/remote/engines/memory.ts';
import { openJobKey, readKnownKeys, trustKey } from '../../src/remote/keys.ts';
import { serveWorker } from '../../src/remote/serve-worker.ts';
import type { JobPlace } from '../../src/session/remote/job-place.ts';
import { runJob } from '../../src/session/remote/run-job.ts';
import { lookAround } from '../../src/session/surroundings.ts';
import { type ScriptedModel, scriptedModel, type Turn } from '../../src/testing/index.ts';
import { temporaryDirectory } from '../support/index.ts';
import { openSubmitterAt } from './submitter.ts';
import { get } from './support.ts';

export { waitFor } from './submitter.ts';

export const leaseMs = 2000;

export function openSubmitter(engine: Engine, files: Record<string, string> = { 'a.txt': 'one\n' }) {
  return openSubmitterAt(engine, files, temporaryDirectory().path);
}

export interface WorkerSetup extends Partial<JobPlace> {
  engine: Engine;
  trusts?: string[];
  turns?: readonly Turn[] | Parameters<typeof scriptedModel>[0];
  name?: string;
  home?: string;
  /** More of it. */
  environment?: Record<string, string>;
  slots?: number;
  clock?: Clock;
  /** Keeps in mind what it has stored. */
  remembers?: boolean;
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
    ...setup.environment,
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
    ...{ engine, clock, name, slots, leaseMs, knownKeys, ...(setup.remembers ? { home: around.home } : {}) },
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
    path,
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
