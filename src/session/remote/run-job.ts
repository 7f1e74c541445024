import { rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sleep } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { removeTreeMeanwhile } from '../../lib/files/remove-tree.ts';
import type { Problem, Result } from '../../lib/result.ts';
import { noUsage } from '../../protocol/index.ts';
import { type JobResult, streams } from '../../remote/job.ts';
import { type CarriedPlace, describeMove } from '../../remote/places.ts';
import { type ClaimedJob, type JobEnd, storeFailure } from '../../remote/serve-worker.ts';
import { type JobState, readJobState } from '../../remote/steps.ts';
import type { SessionLayout } from '../../store/layout.ts';
import { writeMoved } from '../moves/stop-at-step.ts';
import { openSession } from '../open.ts';
import { findSessionOwner } from '../owner.ts';
import type { Session } from '../session.ts';
import { jobKinds, StepCarrier } from './carry-steps.ts';
import { type JobCheckout, openCheckout } from './checkout.ts';
import { converse, type JobTools } from './converse.ts';
import { describeOrder, openStanding } from './describe-order.ts';
import type { JobPlace } from './job-place.ts';
import { openAnswers } from './remote-answers.ts';
import { leadLog, removeLogs, restoreLogs } from './restore-logs.ts';
import { movedKinds, serveMoved } from './serve-moved.ts';

/** Runs a job as a session of its own on this machine: the loop, the model calls and the tools. */
export async function runJob(job: ClaimedJob, place: JobPlace): Promise<JobEnd> {
  const { order, submitter, engine, signal, leaving } = job;
  const ended = await engine.read(order.id, streams.result, 0, 1);
  if (!ended.ok) return 'unfinished';
  // Its worker ended before it could say so.
  if (ended.value.length > 0) return 'over';
  const known = place.knownKeys();
  if (!known.ok) return 'left';
  const state = await readJobState(engine, { jobId: order.id, submitter }, (signer) =>
    known.value.has(signer),
  );
  if (!state.ok) return leaveJob(job, state.problem);
  await waitUntilFree(job, place);
  if (signal.aborted || leaving.aborted) return 'unfinished';
  const checkout = await openFiles(job, place, known.value, state.value);
  try {
    if (signal.aborted) return 'unfinished';
    if (!checkout.ok) return await refuseJob(job, place, checkout.problem);
    return await runInside(job, place, state.value, checkout.value);
  } finally {
    // A job that was passed on has all of its files on the engine.
    if (checkout.ok) await checkout.value.remove();
    else await removeTreeMeanwhile(join(place.directory, order.id));
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
  const now = describePlace(checkout.top, cwd.value, files);
  const sizes = restoreLogs(files, state, { place: now, home: around.home, sessionId: order.sessionId });
  let session: Session | undefined;
  const isBusy = () => session?.steps.isQuiet === false || (session?.tasks() ?? []).length > 0;
  const kinds = order.moved ? movedKinds : jobKinds;
  const carrier = new StepCarrier(job, checkout, files, around.clock, sizes, isBusy, kinds);
  if (!(await carrier.store([{ kind: 'place', ...now }]))) return endWithoutResult(job, place, carrier);
  const answers = openAnswers(job, place.highestMode, (row) => carrier.store([], [row]));
  const opened = await openSession({
    ...described.value,
    ...keepDefined({ model: place.model }),
    ...(sizes.has(leadLog)
      ? { resume: { from: 'id' as const, id: order.sessionId } }
      : { sessionId: order.sessionId }),
    ...(order.moved
      ? { holder: { jobId: order.id, note: describeMove(state.place, now) }, attended: place.asks }
      : place.asks
        ? { onQuestion: answers.ask }
        : {}),
    journalCopy: async () => {
      if (!(await carrier.store())) return false;
      carrier.noteChange();
      return true;
    },
  });
  if (!opened.ok) return refuseJob(job, place, opened.problem);
  session = opened.value;
  try {
    if (order.moved) return await runMoved(session, job, place, { carrier, state, files });
    const tools: JobTools = { carrier, answers, state, place: now, clock: around.clock };
    const end = await converse(session, job, tools);
    return end ? await storeResult(job, place, carrier, end) : endWithoutResult(job, place, carrier);
  } finally {
    await session.close();
    if (!job.signal.aborted) forgetSession(files, around.home, order.sessionId);
  }
}

/** Whoever continues has it from the engine. Another worker with this home may have begun already. */
function forgetSession(files: SessionLayout, home: string, sessionId: string): void {
  if (findSessionOwner(home, sessionId)) return;
  removeLogs(files, { home, sessionId });
  try {
    // The directory of the job is nobody else's.
    rmdirSync(dirname(files.transcript));
  } catch {}
}

function describePlace(top: string, cwd: string, files: SessionLayout): CarriedPlace {
  return { cwd, top, main: top, common: join(top, '.git'), files: files.directory };
}

/** A session that was moved here stays until it is recalled. Then its next step is taken where it came from. */
async function runMoved(
  session: Session,
  job: ClaimedJob,
  place: JobPlace,
  { carrier, state, files }: { carrier: StepCarrier; state: JobState; files: SessionLayout },
): Promise<JobEnd> {
  const view = JSON.stringify(session.view());
  const begun = { stream: streams.views, key: `${job.epoch}`, body: view };
  if (!(await carrier.store([], [begun]))) return endWithoutResult(job, place, carrier);
  const known = place.knownKeys();
  const end = await serveMoved(session, job, {
    ...{ carrier, state, clock: place.around.clock, highestMode: place.highestMode },
    accepts: (signer) => known.ok && known.value.has(signer),
  });
  if (end !== 'recalled') return endWithoutResult(job, place, carrier);
  const stopped = await session.stopAtStep({ kind: 'usage', message: 'The session was moved back.' });
  if (!stopped.ok) return endWithoutResult(job, place, carrier);
  const written = writeMoved(files.transcript, stopped.value, { ...stopped.value, to: null }, place.around);
  if (!written.ok) return refuseJob(job, place, written.problem);
  const outcome = { kind: 'completed' as const, text: '', turns: 0, usage: noUsage };
  return storeResult(job, place, carrier, { outcome, cost: session.cost() });
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
async function leaveJob({ refuse }: ClaimedJob, { message }: Problem): Promise<JobEnd> {
  await refuse(message);
  return 'left';
}

/** A job that cannot be run ends with the reason; the submitter sees it before a model was asked. */
async function refuseJob(job: ClaimedJob, { worker }: JobPlace, { message, hint }: Problem): Promise<JobEnd> {
  if (job.signal.aborted) return 'unfinished';
  const reason = `On the worker ${worker}: ${hint ? `${message} ${hint}` : message}`;
  return (await storeFailure(job, reason)) ? 'over' : 'unfinished';
}
