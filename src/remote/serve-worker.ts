import { linkAbort } from '../lib/abort.ts';
import type { Clock } from '../lib/clock.ts';
import type { Result } from '../lib/result.ts';
import { defaultLeaseMs, type Engine, type NewRow, type TakenJob } from './engine.ts';
import { jobsBell, readOrder, type SignedOrder } from './job.ts';
import { openWaiter, type Waiter } from './wait.ts';
import { formatWorker, workerNoteMs } from './worker-note.ts';

/** A job that this worker has, for as long as its signal is not aborted. */
export interface ClaimedJob {
  readonly order: SignedOrder;
  /** Aborted when the job was passed on, or is to be given back: from then on nothing more is done for it. */
  readonly signal: AbortSignal;
  /** Stores rows of this worker. False: the job was passed on, and nothing was stored. */
  store(rows: readonly NewRow[]): Promise<Result<boolean>>;
  /** Resolves when there may be something new to read. */
  readonly waiter: Waiter;
}

/** `over`: no worker takes it again. `unfinished`: another one may continue. */
export type JobEnd = 'over' | 'unfinished';

export interface WorkerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly name: string;
  readonly labels: readonly string[];
  readonly slots: number;
  readonly leaseMs?: number;
  /** Read for each job: a key can be added while the worker runs. */
  knownKeys(): Result<ReadonlySet<string>>;
  runJob(job: ClaimedJob): Promise<JobEnd>;
  say(text: string): void;
  /** Takes no more jobs, gives back those that it has, and ends. */
  readonly signal: AbortSignal;
}

const pollMs = 1000;

/** Takes jobs and runs them until it is told to end. While the engine is away it only asks again now and then. */
export async function serveWorker(options: WorkerOptions): Promise<void> {
  const { engine, clock, labels, slots, signal, say } = options;
  const running = new Set<Promise<void>>();
  const waiter = openWaiter(engine, clock, (topic) => topic === jobsBell);
  const beat = keepNote(options, () => running.size);
  let isAway = false;
  try {
    while (!signal.aborted) {
      const taken = running.size < slots ? await takeNext(engine, labels) : undefined;
      if (taken && !taken.ok && !isAway) say(`${taken.problem.message} Trying again.`);
      if (taken?.ok && isAway) say(`The engine at ${engine.title} answers again.`);
      if (taken) isAway = !taken.ok;
      if (!taken?.ok || !taken.value) {
        await Promise.race([waiter.wait(pollMs, signal), ...(running.size >= slots ? running : [])]);
        continue;
      }
      const job = taken.value;
      const run = serveJob(job, options).finally(() => running.delete(run));
      running.add(run);
    }
    await Promise.all(running);
  } finally {
    await beat.stop();
    waiter.close();
  }
}

async function takeNext(engine: Engine, labels: readonly string[]): Promise<Result<TakenJob | undefined>> {
  let last: Result<TakenJob | undefined> = { ok: true, value: undefined };
  for (const label of labels) {
    last = await engine.take(label);
    if (!last.ok || last.value) return last;
  }
  return last;
}

async function serveJob(taken: TakenJob, options: WorkerOptions): Promise<void> {
  const { engine, clock, say, signal } = options;
  const known = options.knownKeys();
  const order = known.ok ? await readOrder(engine, taken.id, known.value) : known;
  if (!order.ok) {
    say(order.problem.message);
    // Another worker may trust its submitter; this one would take it again at once, so its lease is left to end.
    return;
  }
  if (!order.value) {
    await taken.finish();
    return;
  }
  const epoch = await engine.claim(taken.id);
  if (!epoch.ok) {
    await taken.release();
    return;
  }
  const lost = new AbortController();
  const unlink = linkAbort(signal, lost);
  const renewing = renewLease(taken, lost, options);
  const waiter = openWaiter(engine, clock, (topic) => topic === taken.id);
  const store = async (rows: readonly NewRow[]): Promise<Result<boolean>> => {
    const stored = await engine.append(taken.id, rows, epoch.value);
    if (!stored.ok) return stored;
    if (stored.value === 'stale') lost.abort('the job was passed on');
    return { ok: true, value: stored.value === 'stored' };
  };
  say(`Running ${taken.id}: ${order.value.description}`);
  try {
    const end = await options.runJob({ order: order.value, signal: lost.signal, store, waiter });
    await (end === 'over' ? taken.finish() : taken.release());
    say(end === 'over' ? `Finished ${taken.id}.` : `Gave back ${taken.id}.`);
  } finally {
    waiter.close();
    renewing();
    unlink();
    // Whoever waits for the end of the job, or for a job that was given back.
    await engine.ring(taken.id);
    await engine.ring(jobsBell);
  }
}

/**
 * Renews while the job runs. Where the engine does not answer for the time of a lease, the job may be another worker's by then: it is
 * given up, as it is when the engine says so.
 */
function renewLease(taken: TakenJob, lost: AbortController, options: WorkerOptions): () => void {
  const { clock, leaseMs = defaultLeaseMs } = options;
  let renewedAt = clock.monotonic();
  let cancel = () => {};
  let isOver = false;
  const renew = async () => {
    const asked = clock.monotonic();
    const renewed = await taken.renew();
    if (isOver) return;
    if (renewed.ok && renewed.value) renewedAt = asked;
    if ((renewed.ok && !renewed.value) || clock.monotonic() - renewedAt > leaseMs) {
      lost.abort('the job was passed on');
      return;
    }
    cancel = clock.after(leaseMs / 4, renew);
  };
  cancel = clock.after(leaseMs / 4, renew);
  return () => {
    isOver = true;
    cancel();
  };
}

/** Tells all that this worker is alive, and what it does. */
function keepNote({ engine, clock, ...worker }: WorkerOptions, countRunning: () => number) {
  let isOver = false;
  let cancel = () => {};
  const beat = async () => {
    await engine.note('worker', worker.name, formatWorker(worker, countRunning()), workerNoteMs);
    if (!isOver) cancel = clock.after(workerNoteMs / 3, beat);
  };
  const begun = beat();
  return {
    async stop() {
      isOver = true;
      cancel();
      await begun;
      await engine.note('worker', worker.name, '', 1);
    },
  };
}
