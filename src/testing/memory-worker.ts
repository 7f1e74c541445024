import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../lib/clock.ts';
import { ok } from '../lib/result.ts';
import type { Engine } from '../remote/engine.ts';
import { memoryServer, memoryEngine as openMemoryEngine } from '../remote/engines/memory.ts';
import { defaultLabel } from '../remote/job.ts';
import { openJobKey, readKnownKeys } from '../remote/keys.ts';
import { serveWorker } from '../remote/serve-worker.ts';
import type { SessionOptions } from '../session/options.ts';
import { runJob } from '../session/remote/run-job.ts';
import { lookAround } from '../session/surroundings.ts';

/** An engine in this process, for the option `engine` of a session and for a worker beside it. */
export function memoryEngine(): Engine {
  return openMemoryEngine(memoryServer(systemClock));
}

export interface MemoryWorkerOptions {
  engine: Engine;
  /** Answers for all of its jobs. */
  model: SessionOptions['model'];
  labels?: readonly string[];
  /** How many jobs at once. */
  slots?: number;
  /** As of the session that sends the jobs: the worker has the same home, so that both trust each other. */
  environment?: SessionOptions['environment'];
}

export interface MemoryWorker {
  /** What it has done, in lines. */
  readonly said: readonly string[];
  /** Gives its jobs back and ends. */
  end(): Promise<void>;
}

/** A worker in this process. Its commands are not confined. */
export function memoryWorker({
  engine,
  model,
  labels = [defaultLabel],
  slots = 4,
  environment,
}: MemoryWorkerOptions): MemoryWorker {
  const path = mkdtempSync(join(tmpdir(), 'cadre-worker-'));
  const around = lookAround({ cwd: path, ...(environment ? { environment } : {}) });
  const key = openJobKey(around.home);
  if (!key.ok) throw new Error(key.problem.message);
  const knownKeys = () => readKnownKeys(around.home);
  const stop = new AbortController();
  const said: string[] = [];
  const name = `memory-${randomUUID().slice(0, 8)}`;
  const place = {
    ...{ worker: name, around, directory: join(path, 'jobs'), highestMode: 'acceptEdits' as const },
    ...{ asks: true, sandbox: false, model, knownKeys, prepare: async () => ok(undefined) },
  };
  const done = serveWorker({
    ...{ engine, clock: systemClock, name, labels, slots, knownKeys, key: key.value },
    machine: () => ({ host: 'memory', load: 0 }),
    runJob: (job) => runJob(job, place),
    say: (text) => void said.push(text),
    signal: stop.signal,
  });
  return {
    said,
    async end() {
      stop.abort();
      await done;
      rmSync(path, { recursive: true, force: true });
    },
  };
}
