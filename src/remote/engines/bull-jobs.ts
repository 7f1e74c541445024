import type { BackendFactory, Job, Queue, Worker } from 'bullmq';
import bull from 'bullmq/dist/cjs/index.js';
import { formatError, ok, type Result } from '../../lib/result.ts';
import type { Engine, TakenJob } from '../engine.ts';

export interface BullPlace {
  /** Options of BullMQ's connection: those of ioredis, or of a pool of pg. */
  connection: object;
  /** Absent: Redis. */
  backend?: BackendFactory | undefined;
  /** Before the names of all keys, on Redis. */
  prefix: string;
  leaseMs: number;
  /** Turns what was thrown into a problem that names the engine. */
  attempt<T>(action: () => Promise<T>): Promise<Result<T>>;
}

export type BullJobs = Pick<Engine, 'enqueue' | 'take' | 'close'>;

/** A job that is over is kept this long, so that its id is not handed out again. */
const keepSeconds = 7 * 24 * 3600;

/**
 * Jobs of BullMQ, taken by hand. Its own loop is not used: it stops looking for jobs of dead workers after errors that
 * it does not know, and it runs a job to its end when the lease is lost.
 */
export function bullJobs(place: BullPlace): BullJobs {
  const { prefix, connection, leaseMs, backend, attempt } = place;
  const checkMs = Math.max(250, Math.min(1000, Math.floor(leaseMs / 4)));
  const shared = { prefix, connection };
  const queues = keepOpened((label) => new bull.Queue(label, shared, backend as BackendFactory) as Queue);
  const takers = keepOpened((label) => {
    const options = {
      ...{ ...shared, autorun: false, skipStalledCheck: true, skipLockRenewal: true },
      ...{ lockDuration: leaseMs, stalledInterval: checkMs, maxStalledCount: 1_000_000 },
    };
    return new bull.Worker(label, null, options, backend as BackendFactory) as Worker;
  });
  let count = 0;
  return {
    enqueue: ({ id, label, priority }) =>
      attempt(async () => {
        const queue = await queues.open(nameQueue(label));
        const kept = { age: keepSeconds };
        await queue.add('job', {}, { jobId: id, priority, removeOnComplete: kept, removeOnFail: kept });
      }),
    take: (label) =>
      attempt(async () => {
        const worker = await takers.open(nameQueue(label));
        // Limited to once per interval by the server, over all workers.
        await worker.getBackend().moveStalledJobsToWait();
        const token = `${worker.id}-${++count}`;
        const job = await worker.getNextJob(token, { block: false });
        return job ? holdJob(job, token, place) : undefined;
      }),
    async close() {
      await Promise.all([queues.close(), takers.close()]);
    },
  };
}

function holdJob(job: Job, token: string, { leaseMs, attempt }: BullPlace): TakenJob {
  const change = async (action: () => Promise<boolean>): Promise<Result<boolean>> =>
    attempt(async () => {
      try {
        return await action();
      } catch (error) {
        if (isPassed(error)) return false;
        throw error;
      }
    });
  return {
    id: String(job.id),
    renew: () => change(async () => Number(await job.extendLock(token, leaseMs)) > 0),
    finish: () =>
      change(async () => {
        await job.moveToCompleted('', token, false);
        return true;
      }),
    release: () =>
      change(async () => {
        await job.moveToWait(token);
        return true;
      }),
  };
}

/** The lock is gone, or another worker has it; otherwise the server did not answer. */
function isPassed(error: unknown): boolean {
  return /lock|not in the active state|Missing key/i.test(formatError(error));
}

/** BullMQ refuses some names, and labels are people's words. */
function nameQueue(label: string): string {
  return `jobs-${Buffer.from(label).toString('base64url')}`;
}

interface Openable {
  waitUntilReady(): Promise<unknown>;
  on(event: 'error', listener: () => void): unknown;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** One of each name. One that did not become ready is thrown away: on PostgreSQL it would stay broken for good. */
function keepOpened<T extends Openable>(make: (name: string) => T) {
  const opened = new Map<string, Promise<T>>();
  const start = async (name: string): Promise<T> => {
    const one = make(name);
    // Every call reports its own failure; without a listener BullMQ throws.
    one.on('error', () => {});
    try {
      await one.waitUntilReady();
      return one;
    } catch (error) {
      opened.delete(name);
      await one.close().catch(() => {});
      throw error;
    }
  };
  return {
    open(name: string): Promise<T> {
      const found = opened.get(name) ?? start(name);
      opened.set(name, found);
      return found;
    },
    async close(): Promise<void> {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.all(
        all.map((one) => (one.status === 'fulfilled' ? one.value.close().catch(() => {}) : ok(undefined))),
      );
    },
  };
}
