import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { failure, formatError, ok, type Problem, type Result } from '../../lib/result.ts';
import { type JobResult, streams } from '../../remote/job.ts';
import { type ClaimedJob, type JobEnd, storeFailure } from '../../remote/serve-worker.ts';
import { type JobState, readJobState } from '../../remote/steps.ts';
import { openSession } from '../open.ts';
import { findSessionOwner } from '../owner.ts';
import type { Session } from '../session.ts';
import { StepCarrier } from './carry-steps.ts';
import { type JobCheckout, openCheckout } from './checkout.ts';
import { converse, type JobTools } from './converse.ts';
import { describeOrder, openStanding } from './describe-order.ts';
import type { JobPlace } from './job-place.ts';
import { openCalls } from './open-calls.ts';
import { openAnswers } from './remote-answers.ts';
import { leadLog, restoreLogs } from './restore-logs.ts';

/** Runs a job as a session of its own on this machine: the loop, the model calls and the tools. */
export async function runJob(job: ClaimedJob, place: JobPlace): Promise<JobEnd> {
  const { order, engine, signal, leaving } = job;
  const ended = await engine.read(order.id, streams.result, 0, 1);
  if (!ended.ok) return 'unfinished';
  // Its worker ended before it could say so.
  if (ended.value.length > 0) return 'over';
  const known = place.knownKeys();
  if (!known.ok) return 'left';
  const state = await readJobState(engine, order.id, (signer) => known.value.has(signer));
  if (!state.ok) return leaveJob(job, place, state.problem);
  await waitUntilFree(job, place);
  if (signal.aborted || leaving.aborted) return 'unfinished';
  const checkout = await openFiles(job, place, known.value, state.value);
  if (signal.aborted) return 'unfinished';
  if (!checkout.ok) return refuseJob(job, place, checkout.problem);
  try {
    return await runInside(job, place, state.value, checkout.value);
  } finally {
    // A job that was passed on has all of its files on the engine.
    await checkout.value.remove();
  }
}

/** Another worker with the same home, or this one, may still have the session: its lease has ended, but it does not know yet. */
async function waitUntilFree({ order, signal, leaving }: ClaimedJob, { around }: JobPlace): Promise<void> {
  while (!signal.aborted && !leaving.aborted && findSessionOwner(around.home, order.sessionId))
    await sleep(around.clock, freePollMs, signal);
}

const freePollMs = 200;

async function openFiles(
  { order, engine, signal, submitter }: ClaimedJob,
  { around, directory, prepare }: JobPlace,
  known: ReadonlySet<string>,
  state: JobState,
): Promise<Result<JobCheckout>> {
  const world = { home: around.home, env: { ...around.environment }, clock: around.clock };
  return openCheckout(engine, known, order, state, {
    ...{ directory: join(directory, order.id), world },
    prepare: (top) => prepare({ top, submitter }, signal),
  });
}

async function runInside(
  job: ClaimedJob,
  place: JobPlace,
  state: JobState,
  checkout: JobCheckout,
): Promise<JobEnd> {
  const { order } = job;
  const { around } = place;
  const cwd = openStanding(checkout.top, order.stands);
  if (!cwd.ok) return refuseJob(job, place, cwd.problem);
  const described = describeOrder(order, place, { top: checkout.top, cwd: cwd.value });
  if (!described.ok) return refuseJob(job, place, described.problem);
  const files = around.layout.session(cwd.value, order.sessionId);
  const sizes = restoreLogs(files, state, { cwd: cwd.value, home: around.home, sessionId: order.sessionId });
  let session: Session | undefined;
  const isBusy = () => !calls.isQuiet || (session?.tasks() ?? []).length > 0;
  const calls = openCalls();
  const carrier = new StepCarrier(job, checkout, files, around.clock, sizes, isBusy);
  if (!(await carrier.store([{ kind: 'place', cwd: cwd.value }])))
    return endWithoutResult(job, place, carrier);
  const answers = openAnswers(job, place.highestMode, (row) => carrier.store([], [row]));
  const opened = await openSession({
    ...described.value,
    ...keepDefined({ model: place.model }),
    ...(sizes.has(leadLog)
      ? { resume: { from: 'id' as const, id: order.sessionId } }
      : { sessionId: order.sessionId }),
    ...(place.asks ? { onQuestion: answers.ask } : {}),
    journalCopy: async (call) => {
      if (job.leaving.aborted) await untilAborted(job.signal);
      if (!(await carrier.store())) return false;
      calls.enter(call);
      carrier.noteChange();
      return true;
    },
  });
  if (!opened.ok) return refuseJob(job, place, opened.problem);
  session = opened.value;
  const tools: JobTools = { carrier, calls, answers, state, cwd: cwd.value, clock: around.clock };
  try {
    const end = await converse(session, job, tools);
    return end ? await storeResult(job, place, carrier, end) : endWithoutResult(job, place, carrier);
  } finally {
    await session.close();
  }
}

async function storeResult(
  job: ClaimedJob,
  place: JobPlace,
  carrier: StepCarrier,
  end: JobResult,
): Promise<JobEnd> {
  carrier.noteChange();
  const row = { stream: streams.result, key: 'result', body: JSON.stringify(end) };
  return (await carrier.store([], [row])) ? 'over' : endWithoutResult(job, place, carrier);
}

/** It ends without a result: it is another worker's, or what it did cannot be stored. */
async function endWithoutResult(job: ClaimedJob, place: JobPlace, carrier: StepCarrier): Promise<JobEnd> {
  return carrier.problem ? refuseJob(job, place, carrier.problem) : 'unfinished';
}

/** Another worker may be able to continue it. The submitter sees why this one does not. */
async function leaveJob({ store }: ClaimedJob, { worker }: JobPlace, { message }: Problem): Promise<JobEnd> {
  const body = JSON.stringify({ worker, reason: message });
  await store([{ stream: streams.refusals, key: worker, body }]);
  return 'left';
}

/** A job that cannot be run ends with the reason; the submitter sees it before a model was asked. */
async function refuseJob(job: ClaimedJob, { worker }: JobPlace, { message, hint }: Problem): Promise<JobEnd> {
  if (job.signal.aborted) return 'unfinished';
  const reason = `On the worker ${worker}: ${hint ? `${message} ${hint}` : message}`;
  return (await storeFailure(job, reason)) ? 'over' : 'unfinished';
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export function checkDirectory(directory: string): Result<void> {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return ok(undefined);
  } catch (error) {
    return failure(
      `${directory} cannot be made: ${formatError(error)}`,
      'Choose another one with --directory.',
    );
  }
}
