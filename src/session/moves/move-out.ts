import { closeSync, openSync } from 'node:fs';
import { relative } from 'node:path';
import { sleep } from '../../lib/clock.ts';
import { readBoundedText } from '../../lib/files/read-bounded.ts';
import { getErrorCode, ok, type Problem, type Result, usage } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { MovedRecord, MovedTo } from '../../protocol/index.ts';
import { groupRows } from '../../remote/bundle.ts';
import type { Engine } from '../../remote/engine.ts';
import { type JobOrder, jobsBell, nameWork, storeOrder } from '../../remote/job.ts';
import { type JobKey, openJobKey } from '../../remote/keys.ts';
import { openEngine } from '../../remote/open-engine.ts';
import type { CarriedPlace } from '../../remote/places.ts';
import { nameRepository, sendHistory } from '../../remote/repository.ts';
import { sealRow } from '../../remote/sealed-rows.ts';
import { formatSteps, type Step } from '../../remote/steps.ts';
import { listWorkers, nameWorkerLabel } from '../../remote/worker-note.ts';
import { stampEpoch } from '../../store/fence.ts';
import { resolveRealPath } from '../../workspace/real-path.ts';
import { bindGit, findRepository, type WorktreeWorld } from '../../workspace/worktrees/repository.ts';
import type { Kernel } from '../kernel.ts';
import { type CarriedCheckout, readCarried } from '../remote/carried-files.ts';
import { listLogs } from '../remote/restore-logs.ts';
import { noteMove } from './move-index.ts';
import { describeMovedOrder, openReader } from './moved-order.ts';
import type { MoveNeeds } from './needs.ts';
import { type LeadRuns, type StoppedStep, stopAtStep, writeMoved } from './stop-at-step.ts';

/** Where a session is moved: the address of an engine, and the name or the label of a worker. */
export interface MoveWish {
  engine: string;
  to: string;
}

/**
 * Moves a session to a worker: it stops at the next step, everything of it is stored on the engine, and a job is enqueued whose holder
 * takes the step after it. A problem before it has stopped changes nothing; after that it is taken up by whoever opens it here.
 */
export async function moveOut(
  kernel: Kernel,
  needs: MoveNeeds,
  { engine: address, to }: MoveWish,
  pump: LeadRuns,
): Promise<Result<MovedTo>> {
  const given = kernel.options.engine;
  const isOwn = typeof given === 'object';
  const engine = isOwn ? ok(given) : await openEngine(address);
  if (!engine.ok) return engine;
  try {
    const label = await chooseLabel(engine.value, to);
    if (!label.ok) return label;
    const moving = await prepareMove(kernel, needs, engine.value, { label: label.value, name: to });
    if (!moving.ok) return moving;
    return await moveNow(moving.value, needs, pump);
  } finally {
    // One that a program has opened is closed by the program.
    if (!isOwn) await engine.value.close();
  }
}

/** A worker by its name, which it takes for a label too; else any with the label. */
async function chooseLabel(engine: Engine, to: string): Promise<Result<string>> {
  const workers = await listWorkers(engine);
  if (!workers.ok) return workers;
  const ready = workers.value.filter(({ state }) => state === 'ready');
  if (ready.some(({ name }) => name === to)) return ok(nameWorkerLabel(to));
  if (ready.some(({ labels }) => labels.includes(to))) return ok(to);
  const known = ready.map(({ name, labels }) => `${name} (${labels.join(', ')})`).slice(0, 20);
  return usage(
    `No worker with the name or label ${visibleLine(to, 60)} is connected to ${engine.title}.`,
    known.length === 0
      ? `Start one: cadre worker --engine ${engine.title}`
      : `Choose one of: ${known.map((one) => visibleLine(one, 80)).join('; ')}`,
  );
}

interface Moving {
  kernel: Kernel;
  engine: Engine;
  key: JobKey;
  world: WorktreeWorld;
  jobId: string;
  label: string;
  name: string;
  place: Required<Pick<CarriedPlace, 'cwd' | 'top' | 'main' | 'common' | 'files'>>;
}

/** Most of the files go while the session still works. */
async function prepareMove(
  kernel: Kernel,
  needs: MoveNeeds,
  engine: Engine,
  { label, name }: { label: string; name: string },
): Promise<Result<Moving>> {
  const { place, identity, id } = kernel;
  const key = openJobKey(place.home);
  if (!key.ok) return key;
  // Without the session's mark and claim: it acts when this process has let go of both.
  const world = { home: place.home, env: { ...place.environment }, clock: place.outside.clock };
  const repository = await findRepository(place.cwd, world);
  if (!repository.ok)
    return usage(`The session cannot be moved. ${repository.problem.message}`, repository.problem.hint);
  const jobId = `${id.slice(0, 8)}-move-${place.outside.ids.token(8)}`;
  const where = { cwd: resolveRealPath(place.cwd), ...repository.value, files: identity.files.directory };
  const moving = { kernel, engine, key: key.value, world, jobId, label, name, place: where };
  const first = await sendFiles(moving, needs);
  return first.ok ? ok(moving) : first;
}

/** What the engine lacks of the files as they are now. */
async function sendFiles(
  { kernel, engine, key, world, jobId, place }: Moving,
  needs: MoveNeeds,
): Promise<Result<{ carried: CarriedCheckout; repository: string }>> {
  const part = {
    top: place.top,
    common: place.common,
    session: kernel.id,
    refuses: openReader(kernel, needs),
  };
  const carried = await readCarried(part, world);
  if (!carried.ok) return carried;
  const { commit } = carried.value;
  const git = bindGit(world, place.top);
  const ref = `refs/cadre/remote/${jobId}`;
  const kept = await git(['update-ref', ref, commit]);
  if (!kept.ok) return kept;
  const repository = await nameRepository(git, commit);
  if (!repository.ok) return repository;
  const sent = await sendHistory(engine, key, repository.value, { git, ref, tip: commit });
  return sent.ok ? ok({ carried: carried.value, repository: repository.value }) : sent;
}

async function moveNow(moving: Moving, needs: MoveNeeds, pump: LeadRuns): Promise<Result<MovedTo>> {
  const { kernel, engine, jobId, name } = moving;
  const { claim, place, identity } = kernel;
  const to: MovedTo = { jobId, engine: engine.title, name };
  // The books are complete from here on.
  needs.lead.cost();
  const described = describeMovedOrder(kernel, needs);
  const stopped = await stopAtStep(kernel, pump, describeLoss(kernel.id, to));
  if (!stopped.ok) return stopped;
  const { epoch, pid } = claim;
  const write = (holder: MovedTo | null) =>
    writeMoved(identity.files.transcript, { epoch, pid }, { ...stopped.value, to: holder }, place);
  const sent = await keepTrying(moving, () => send(moving, needs, described, { ...stopped.value, to }));
  const written = sent.ok ? write(to) : write(null);
  if (!sent.ok) return sent;
  if (!written.ok) return written;
  // From here on it is the job's: whoever looks for it repeats what is missing.
  await noteMove(engine, moving.key, { session: kernel.id, job: to, title: kernel.options.title ?? '' });
  const queued = await engine.enqueue({ id: jobId, label: moving.label, priority: 5 });
  await engine.ring(jobsBell);
  return queued.ok ? ok(to) : queued;
}

const patienceMs = 60_000;

/** The engine may be away for a moment; everything that is sent can be repeated. */
async function keepTrying({ kernel }: Moving, act: () => Promise<Result<void>>): Promise<Result<void>> {
  const { clock } = kernel.place.outside;
  const until = clock.monotonic() + patienceMs;
  for (;;) {
    const done = await act();
    if (done.ok || done.problem.kind === 'usage' || clock.monotonic() >= until) return done;
    await sleep(clock, 1000);
  }
}

type MovedOrder = ReturnType<typeof describeMovedOrder>;

async function send(
  moving: Moving,
  needs: MoveNeeds,
  described: MovedOrder,
  stopped: StoppedStep & { to: MovedTo },
): Promise<Result<void>> {
  const { kernel, engine, key, jobId, label, place } = moving;
  const sent = await sendFiles(moving, needs);
  if (!sent.ok) return sent;
  const { carried, repository } = sent.value;
  const order: JobOrder = {
    ...described,
    ...{ format: 1, id: jobId, sessionId: kernel.id, repository, base: carried.commit },
    stands: relative(place.top, place.cwd),
    submittedAt: kernel.place.outside.clock.now(),
    label,
  };
  const stored = await storeOrder(engine, order, key);
  if (!stored.ok) return stored;
  const { head, tip, worktrees } = carried;
  const steps: Step[] = [
    { kind: 'place', ...place },
    ...readLogs(kernel, stopped),
    { kind: 'files', head, tip, ...(worktrees.length > 0 ? { worktrees } : {}) },
  ];
  const rows = formatSteps(steps, 0, 0).map((row) => sealRow(key, nameWork(jobId, key.name), row));
  for (const group of groupRows(rows)) {
    const done = await engine.append(jobId, group);
    if (!done.ok) return done;
  }
  return ok(undefined);
}

const maxLog = 512 * 1024 * 1024;
/** Text in JSON may become twice as long, and a character have several bytes. */
const partLength = 150_000;

/** All that was written, and the word on who continues, which is here only once it is there. */
function* readLogs(
  kernel: Kernel,
  { to, isRunning, prompts }: StoppedStep & { to: MovedTo },
): Generator<Step> {
  const { identity, claim, place } = kernel;
  for (const [file, path] of listLogs(identity.files, true)) {
    const text = (exists(path) && readBoundedText(path, maxLog)) || '';
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const record: MovedRecord = {
      ...{ type: 'moved', timestamp: new Date(place.clock.now()).toISOString(), to, isRunning, prompts },
    };
    const last =
      path === identity.files.transcript
        ? `${JSON.stringify(stampEpoch(record, { ...claim, epoch: claim.epoch + 1 }))}\n`
        : '';
    const all = whole + last;
    for (let at = 0; at < all.length; at += partLength)
      yield { kind: 'log', file, data: all.slice(at, at + partLength) };
  }
}

function exists(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function describeLoss(id: string, { name, engine }: MovedTo): Problem {
  return {
    kind: 'usage',
    message: `The session was moved to the worker ${visibleLine(name, 100)} (${visibleLine(engine, 200)}).`,
    hint: `Look at it and steer it: cadre attach ${id}. Bring it back: cadre move ${id} --to here.`,
  };
}
