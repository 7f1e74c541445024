import type { Clock } from '../lib/clock.ts';
import { formatError, ok, type Result } from '../lib/result.ts';
import { noUsage, type Outcome } from '../protocol/index.ts';
import { defaultLeaseMs, type Engine, type NewRow, type TakenJob } from './engine.ts';
import { holdLease } from './hold-lease.ts';
import { type JobOrder, jobsBell, nameNewsBell, readOrder, type SignedOrder, streams } from './job.ts';
import type { JobKey } from './keys.ts';
import { patientEngine } from './patient-engine.ts';
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

/** Jobs whose worker died ring no bell. */
const pollMs = 1500;
/** A job that ended its worker so often is not begun again. */
const maxClaims = 100;

/** Takes jobs and runs them until it is told to end. While the engine is away it only asks again now and then. */
export async function serveWorker(options: WorkerOptions): Promise<void> {
  const { engine, clock, labels, slots, signal, say } = options;
  const own = [...labels, nameWorkerLabel(options.name)];
  const running = new Set<Promise<void>>();
  const refused = new Set<string>();
  const waiter = openWaiter(engine, clock, (topic) => topic === jobsBell);
  const note = keepWorkerNote(options, () => running.size);
  const pauses =
    options.home === undefined
      ? undefined
      : sharePauses({ ...options, home: options.home, isBusy: () => running.size > 0 });
  let isAway = false;
  try {
    while (!signal.aborted) {
      const taken = running.size < slots ? await takeNext(engine, own) : undefined;
      if (taken && !taken.ok && !isAway) say(`${taken.problem.message} Trying again.`);
      if (taken?.ok && isAway) say(`The engine at ${engine.title} answers again.`);
      if (taken) isAway = !taken.ok;
      if (!taken?.ok || !taken.value) {
        await waiter.wait(pollMs, signal);
        continue;
      }
      const job = taken.value;
      const run = serveJob(job, options, refused).finally(() => {
        running.delete(run);
        note.tell();
        waiter.wake();
      });
      running.add(run);
      note.tell();
    }
    note.tell();
    await Promise.all(running);
  } finally {
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

async function serveJob(taken: TakenJob, options: WorkerOptions, refused: Set<string>): Promise<void> {
  const { engine, say } = options;
  const known = options.knownKeys();
  const order = known.ok ? await readOrder(engine, taken.id, known.value) : known;
  // Another worker may trust its submitter; this one would take it again at once, so its lease is left to end.
  if (!order.ok) return refuseOrder(taken.id, order, options, refused);
  if (!order.value) return void (await taken.finish());
  const epoch = await engine.claim(taken.id);
  if (!epoch.ok) return void (await taken.release());
  say(`Running ${taken.id}: ${order.value.order.description}`);
  try {
    const end = await runClaimed(taken, order.value, epoch.value, options);
    say(`${endWords[end]} ${taken.id}.`);
  } catch (error) {
    // A bug, which could happen again at once: the lease is left to end.
    say(`The job ${taken.id} failed unexpectedly: ${formatError(error)}`);
  } finally {
    // For those that wait for the end of the job, or for a job that was given back.
    await engine.ring(taken.id);
    await engine.ring(jobsBell);
  }
}

const endWords: Readonly<Record<JobEnd, string>> = {
  over: 'Finished',
  unfinished: 'Gave back',
  left: 'Did not run',
};

async function runClaimed(
  taken: TakenJob,
  { order, submitter }: SignedOrder,
  epoch: number,
  options: WorkerOptions,
): Promise<JobEnd> {
  const { engine, clock, leaseMs = defaultLeaseMs, key, signal: leaving } = options;
  const lease = holdLease(taken, clock, leaseMs);
  const waiter = openWaiter(engine, clock, (topic) => topic === taken.id);
  const store = async (rows: readonly NewRow[]): Promise<Result<boolean>> => {
    const stored = await engine.append(
      taken.id,
      rows.map((row) => sealRow(key, taken.id, row)),
      epoch,
    );
    if (!stored.ok) return stored;
    if (stored.value === 'stale') lease.lose();
    else void engine.ring(nameNewsBell(taken.id));
    return ok(stored.value === 'stored');
  };
  const { signal } = lease;
  const patient = patientEngine(engine, clock, signal);
  const job: ClaimedJob = { order, submitter, epoch, engine: patient, signal, leaving, store, waiter };
  try {
    const end = epoch > maxClaims ? await giveUp(job) : await options.runJob(job);
    if (end === 'over') await taken.finish();
    if (end === 'unfinished') await taken.release();
    return end;
  } finally {
    waiter.close();
    lease.stop();
  }
}

/** The submitter sees why: it may be waiting for nothing. */
async function refuseOrder(
  jobId: string,
  { problem }: Extract<Result<never>, { ok: false }>,
  { engine, key, name, say }: WorkerOptions,
  refused: Set<string>,
): Promise<void> {
  if (refused.has(jobId)) return;
  say(problem.hint ? `${problem.message} ${problem.hint}` : problem.message);
  if (problem.kind !== 'usage') return;
  refused.add(jobId);
  const body = JSON.stringify({ worker: name, reason: problem.message });
  await engine.append(jobId, [sealRow(key, jobId, { stream: streams.refusals, key: name, body })]);
  await engine.ring(nameNewsBell(jobId));
}

async function giveUp(job: ClaimedJob): Promise<JobEnd> {
  const reason = `${maxClaims} workers have begun this job, and none has ended it.`;
  const stored = await storeFailure(job, reason);
  return stored ? 'over' : 'unfinished';
}

/** The result of a job that could not be run. */
export async function storeFailure({ store }: Pick<ClaimedJob, 'store'>, reason: string): Promise<boolean> {
  const outcome: Outcome = { kind: 'failed', text: '', reason, turns: 0, usage: noUsage };
  const stored = await store([{ stream: streams.result, key: 'result', body: JSON.stringify({ outcome }) }]);
  return stored.ok && stored.value;
}
