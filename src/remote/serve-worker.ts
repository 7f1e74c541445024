import type { Clock } from '../lib/clock.ts';
import { formatError, ok, type Result } from '../lib/result.ts';
import { noUsage, type Outcome } from '../protocol/index.ts';
import { defaultLeaseMs, type Engine, type NewRow, type TakenJob } from './engine.ts';
import { holdLease } from './hold-lease.ts';
import {
  type JobOrder,
  jobsBell,
  nameNewsBell,
  nameWork,
  readOrder,
  type SignedOrder,
  streams,
} from './job.ts';
import { type JobMemory, openJobMemory } from './job-memory.ts';
import { keepRows } from './keep-rows.ts';
import type { JobKey } from './keys.ts';
import { patientEngine } from './patient-engine.ts';
import { openRefusedJobs, type RefusedJobs } from './refused-jobs.ts';
import { sealRow } from './sealed-rows.ts';
import { sharePauses } from './share-pauses.ts';
import { openWaiter, type Waiter } from './wait.ts';
import { keepWorkerNote, nameWorkerLabel } from './worker-note.ts';

/** A job that this worker has, for as long as its signal is not aborted. */
export interface ClaimedJob {
  readonly order: JobOrder;
  /** The key that signed the order. Letters of no other are read. */
  readonly submitter: string;
  readonly epoch: number;
  /** Reads again while the server is away, for as long as the job is this worker's. */
  readonly engine: Engine;
  /** Aborted when the job was passed on: from then on nothing more is done for it. */
  readonly signal: AbortSignal;
  /** Aborted when the worker is about to end: calls that run are finished, no other begins, and the job is given back. */
  readonly leaving: AbortSignal;
  /** Stores signed rows of this worker. False: the job was passed on, and nothing was stored. */
  store(rows: readonly NewRow[]): Promise<Result<boolean>>;
  /** Tells the submitter why this worker does not run it. */
  refuse(reason: string): Promise<void>;
  /** Resolves when there may be something new to read. */
  readonly waiter: Waiter;
}

/** `over`: no worker takes it again. `unfinished`: another one may continue. `left`: the same, once the lease has ended. */
export type JobEnd = 'over' | 'unfinished' | 'left';

export interface WorkerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly leaseMs?: number;
  machine(): { host: string; load: number };
  /** Sessions of this home wait for limits that other workers met, and the other way round. */
  readonly home?: string;
  /** Signs what this worker stores. */
  readonly key: JobKey;
  /** Read for each job: a key can be added while the worker runs. */
  knownKeys(): Result<ReadonlySet<string>>;
  runJob(job: ClaimedJob): Promise<JobEnd>;
  say(text: string): void;
  /** Takes no more jobs, gives back those that it has, and ends. */
  readonly signal: AbortSignal;
}

interface Serving extends WorkerOptions {
  readonly memory: JobMemory | undefined;
  readonly refusals: RefusedJobs;
}

/** Jobs whose worker died ring no bell. */
const pollMs = 1500;
/** A job that ended its worker so often is not begun again. */
const maxClaims = 100;

/** Takes jobs and runs them until it is told to end. While the engine is away it only asks again now and then. */
export async function serveWorker(options: WorkerOptions): Promise<void> {
  const { engine, clock, labels, slots, signal, say } = options;
  const own = [...labels, nameWorkerLabel(options.name)];
  const running = new Set<Promise<void>>();
  const waiter = openWaiter(engine, clock, (topic) => topic === jobsBell);
  const note = keepWorkerNote(options, () => running.size);
  const memory = options.home === undefined ? undefined : openJobMemory(options.home, clock);
  const worker: Serving = { ...options, memory, refusals: openRefusedJobs(options) };
  const pauses =
    options.home === undefined
      ? undefined
      : sharePauses({ ...options, home: options.home, isBusy: () => running.size > 0 });
  let isAway = false;
  try {
    while (!signal.aborted) {
      await worker.refusals.yield();
      const taken = running.size < slots ? await takeNext(engine, own) : undefined;
      if (taken && !taken.ok && !isAway) say(`${taken.problem.message} Trying again.`);
      if (taken?.ok && isAway) say(`The engine at ${engine.title} answers again.`);
      if (taken) isAway = !taken.ok;
      if (!taken?.ok || !taken.value) {
        await waiter.wait(pollMs, signal);
        continue;
      }
      const job = taken.value;
      const run = serveJob(job, worker).finally(() => {
        running.delete(run);
        note.tell();
        waiter.wake();
      });
      running.add(run);
      note.tell();
      pauses?.look();
    }
    note.tell();
    await Promise.all(running);
  } finally {
    await worker.refusals.close();
    await pauses?.stop();
    await note.stop();
    waiter.close();
  }
}

async function takeNext(engine: Engine, labels: readonly string[]): Promise<Result<TakenJob | undefined>> {
  let last: Result<TakenJob | undefined> = ok(undefined);
  for (const label of labels) {
    last = await engine.take(label);
    if (!last.ok || last.value) return last;
  }
  return last;
}

async function serveJob(taken: TakenJob, worker: Serving): Promise<void> {
  const { engine, say, clock } = worker;
  const known = worker.knownKeys();
  const order = known.ok ? await readOrder(engine, taken.id, known.value, clock) : known;
  if (!order.ok) return worker.refusals.refuse(taken, order.problem);
  if (!order.value) return void (await taken.finish());
  const epoch = await engine.claim(taken.id);
  if (!epoch.ok) return void (await taken.release());
  say(`Running ${taken.id}: ${order.value.order.description}`);
  try {
    say(`${await runClaimed(taken, order.value, epoch.value, worker)} ${taken.id}.`);
  } catch (error) {
    // A bug, which could happen again at once: the lease is left to end.
    say(`The job ${taken.id} failed unexpectedly: ${formatError(error)}`);
  } finally {
    // For those that wait for the end of the job.
    await engine.ring(taken.id);
  }
}

const endWords: Readonly<Record<JobEnd, string>> = {
  over: 'Finished',
  unfinished: 'Gave back',
  left: 'Did not run',
};

/** How it ended, in words. */
async function runClaimed(
  taken: TakenJob,
  signed: SignedOrder,
  epoch: number,
  { engine, clock, leaseMs = defaultLeaseMs, key, signal: leaving, memory, refusals, runJob }: Serving,
): Promise<string> {
  const lease = holdLease(taken, clock, leaseMs);
  const kept = keepRows(engine, clock, signed.order);
  const waiter = openWaiter(engine, clock, (topic) => topic === taken.id);
  const work = nameWork(taken.id, signed.submitter);
  const store = async (rows: readonly NewRow[]): Promise<Result<boolean>> => {
    const stored = await engine.append(
      taken.id,
      rows.map((row) => sealRow(key, work, row)),
      epoch,
    );
    if (!stored.ok) return stored;
    if (stored.value === 'stale') lease.lose();
    else {
      memory?.note(signed, rows);
      void engine.ring(nameNewsBell(taken.id));
    }
    return ok(stored.value === 'stored');
  };
  const { signal } = lease;
  const patient = patientEngine(engine, clock, signal);
  const refuse = (reason: string) => refusals.tell(taken.id, reason);
  const job: ClaimedJob = { ...signed, epoch, engine: patient, signal, leaving, store, refuse, waiter };
  try {
    const lost = await findLoss(job, key.name, memory);
    const end = lost === undefined ? await runJob(job) : await giveUp(job, lost);
    if (end === 'over') await taken.finish();
    if (end === 'unfinished') {
      await taken.release();
      await engine.ring(jobsBell);
    }
    return end === 'unfinished' && signal.aborted ? 'Lost' : endWords[end];
  } finally {
    waiter.close();
    kept.stop();
    lease.stop();
  }
}

/** Why a job is not run once more. */
async function findLoss(
  { order, submitter, epoch, engine }: ClaimedJob,
  own: string,
  memory: JobMemory | undefined,
): Promise<string | undefined> {
  if (epoch > maxClaims) return `${maxClaims} workers have begun this job, and none has ended it.`;
  const kept = await memory?.isKept({ order, submitter }, engine, own);
  return kept?.ok && !kept.value
    ? 'The engine no longer has what this worker has stored of the job, which would be done a second time.'
    : undefined;
}

async function giveUp(job: ClaimedJob, reason: string): Promise<JobEnd> {
  const stored = await storeFailure(job, reason);
  return stored ? 'over' : 'unfinished';
}

/** The result of a job that could not be run. */
export async function storeFailure({ store }: Pick<ClaimedJob, 'store'>, reason: string): Promise<boolean> {
  const outcome: Outcome = { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
  const stored = await store([{ stream: streams.result, key: 'result', body: JSON.stringify({ outcome }) }]);
  return stored.ok && stored.value;
}
