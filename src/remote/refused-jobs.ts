import { type Clock, sleep } from '../lib/clock.ts';
import type { Problem } from '../lib/result.ts';
import { defaultLeaseMs, type Engine, type TakenJob } from './engine.ts';
import { jobsBell, nameNewsBell, streams } from './job.ts';
import type { JobKey } from './keys.ts';
import { sealRow } from './sealed-rows.ts';

/** Jobs that a worker took and does not run, since it does not trust their submitters. Other workers may. */
export interface RefusedJobs {
  /** Says why, and gives the job back after a while, in which this worker takes other ones. */
  refuse(taken: TakenJob, problem: Problem): Promise<void>;
  /** Tells the submitter, who may be waiting for nothing. */
  tell(jobId: string, reason: string): Promise<void>;
  /** Waits for other workers to take what was given back. */
  yield(): Promise<void>;
  /** Gives all of them back. */
  close(): Promise<void>;
}

/** Doubled each time that the same job comes back. */
const firstHoldMs = 1000;
const yieldMs = 500;
/** Job ids that are kept in mind. */
const maxKnown = 10_000;

interface RefusingWorker {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly key: JobKey;
  readonly name: string;
  readonly leaseMs?: number;
  readonly signal: AbortSignal;
  say(text: string): void;
}

export function openRefusedJobs({
  engine,
  clock,
  key,
  name,
  leaseMs = defaultLeaseMs,
  say,
  signal,
}: RefusingWorker): RefusedJobs {
  const attempts = new Map<string, number>();
  const held = new Map<TakenJob, () => void>();
  let yieldUntil = 0;
  const giveBack = async (taken: TakenJob) => {
    held.get(taken)?.();
    held.delete(taken);
    await taken.release();
    yieldUntil = clock.monotonic() + yieldMs;
    await engine.ring(jobsBell);
  };
  const tell = async (jobId: string, reason: string) => {
    const body = JSON.stringify({ worker: name, reason });
    await engine.append(jobId, [sealRow(key, jobId, { stream: streams.refusals, key: name, body })]);
    await engine.ring(nameNewsBell(jobId));
  };
  return {
    tell,
    async refuse(taken, { kind, message, hint }) {
      if (attempts.size > maxKnown) attempts.clear();
      const before = attempts.get(taken.id) ?? 0;
      const holdMs = firstHoldMs * 2 ** before;
      // Anything else than an order that is not accepted may pass.
      if (kind === 'usage') attempts.set(taken.id, before + 1);
      // Beyond it the job is free anyway.
      if (holdMs < leaseMs)
        held.set(
          taken,
          clock.after(holdMs, () => void giveBack(taken)),
        );
      if (before > 0) return;
      say(hint ? `${message} ${hint}` : message);
      if (kind === 'usage') await tell(taken.id, message);
    },
    async yield() {
      const left = yieldUntil - clock.monotonic();
      if (left > 0) await sleep(clock, left, signal);
    },
    async close() {
      await Promise.all([...held.keys()].map(giveBack));
    },
  };
}
