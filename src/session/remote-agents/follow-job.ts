import { type Clock, sleep } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { Engine } from '../../remote/engine.ts';
import { nameNewsBell, nameWork, parseQuietly, refusalSchema, streams } from '../../remote/job.ts';
import { openWaiter } from '../../remote/wait.ts';
import { listWorkers } from '../../remote/worker-note.ts';
import type { QuestionDesk } from './ask-here.ts';
import type { RemoteJob } from './job-files.ts';
import { type RemoteResult, readResult } from './read-event.ts';
import { openRowReader, type RowReader } from './read-rows.ts';
import type { NewsDesk } from './show-news.ts';

export interface JobFollower {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly job: RemoteJob;
  /** The key that signed its order. */
  readonly submitter: string;
  readonly news: NewsDesk;
  readonly desk: QuestionDesk;
  /** Whether what this key signed is taken for the job's. */
  accepts(signer: string): boolean;
  /** Sends what waits for the agent. False: the engine does not answer. */
  sendLetters(): Promise<boolean>;
  /** The counts of the job have changed. */
  keep(): void;
  notice(text: string): void;
  /** Calls back when there is something to send. */
  onLetter(listener: () => void): () => void;
}

/** The bell may be lost. */
const pollMs = 2_000;
/** Nothing is said before: a worker may be starting. */
const noWorkerMs = 10_000;

/** Follows a job until its result, or until the signal fires: then undefined. */
export async function followJob(
  follower: JobFollower,
  signal: AbortSignal,
): Promise<RemoteResult | undefined> {
  const { engine, clock, job, onLetter, sendLetters, news } = follower;
  const waiter = openWaiter(engine, clock, (topic) => topic === nameNewsBell(job.jobId));
  const forget = onLetter(() => waiter.wake());
  const rows = openReaders(follower);
  const start = watchStart(follower);
  let isAway = false;
  try {
    for (;;) {
      const isSent = await sendLetters();
      const look = isSent ? await readNews(follower, rows) : 'away';
      if (typeof look === 'object') return look;
      if (signal.aborted) return undefined;
      if ((look === 'away') !== isAway) {
        isAway = look === 'away';
        if (isAway) news.say('Waiting for the engine');
        if (isAway) follower.notice(`The engine at ${engine.title} does not answer. Trying again.`);
      }
      if (!isAway) await start.look();
      await waiter.wait(pollMs, signal);
    }
  } finally {
    forget();
    waiter.close();
  }
}

interface Readers {
  events: RowReader;
  questions: RowReader;
  result: RowReader;
}

function openReaders({ engine, job, submitter, accepts, notice }: JobFollower): Readers {
  const met = (signer: string) =>
    notice(
      `A worker whose key is not trusted here has answered for ${job.agentId}, and is ignored. If it is yours: cadre worker trust ${visibleLine(signer, 100)}`,
    );
  const subject = nameWork(job.jobId, submitter);
  const open = (stream: string, after = 0) =>
    openRowReader(engine, { jobId: job.jobId, subject, stream, after }, { accepts, met });
  return {
    events: open(streams.events, job.read),
    questions: open(streams.questions),
    result: open(streams.result),
  };
}

/** What is new. A result is the last: all that came before it is read first. */
async function readNews(follower: JobFollower, rows: Readers): Promise<RemoteResult | 'news' | 'away'> {
  const result = await rows.result.next();
  if (!result.ok) return 'away';
  do {
    const events = await rows.events.next();
    if (!events.ok) return 'away';
    const { after } = rows.events;
    for (const body of events.value) follower.news.take(body, follower.job);
    if (after === follower.job.read) continue;
    follower.job.read = after;
    follower.keep();
  } while (rows.events.hasMore);
  const questions = await rows.questions.next();
  if (!questions.ok) return 'away';
  const end = result.value.flatMap((body) => readResult(body) ?? [])[0];
  if (end) return end;
  for (const body of questions.value) follower.desk.take(body);
  return 'news';
}

/** Says what a job waits for that no worker has begun. */
function watchStart({ engine, clock, job, news, notice }: JobFollower) {
  const since = clock.monotonic();
  const readRefusals = openRowReader(
    engine,
    { jobId: job.jobId, subject: job.jobId, stream: streams.refusals },
    // Whoever it is: it says only why it does nothing.
    { accepts: () => true, met: () => {} },
  );
  let isBegun = job.read > 0;
  let isSaid = false;
  let isShown = false;
  return {
    async look(): Promise<void> {
      if (isBegun) return;
      const steps = await engine.read(job.jobId, streams.steps, 0, 1);
      if (steps.ok && steps.value.length > 0 && job.ordinal === 1) {
        isBegun = true;
        return;
      }
      if (job.read > 0) isBegun = true;
      if (!isShown) news.say('Waiting for a worker');
      isShown = true;
      const refusals = await readRefusals.next();
      for (const body of refusals.ok ? refusals.value : []) {
        const refusal = refusalSchema.safeParse(parseQuietly(body));
        if (!refusal.success) continue;
        const { worker, reason } = refusal.data;
        notice(
          `${job.agentId} is not run by the worker ${visibleLine(worker, 100)}: ${visibleLine(reason, 500)}`,
        );
      }
      if (isSaid || clock.monotonic() - since < noWorkerMs) return;
      const workers = await listWorkers(engine);
      if (!workers.ok) return;
      isSaid = true;
      if (workers.value.some(({ labels, state }) => state === 'ready' && labels.includes(job.label))) return;
      notice(
        `${job.agentId} waits: no worker with the label ${job.label} is connected to ${engine.title}. Start one: cadre worker --engine ${engine.title} --label ${job.label}`,
      );
    },
  };
}

/** Waits until something succeeds, or the time is over. */
export async function keepTrying(ms: number, clock: Clock, act: () => Promise<boolean>): Promise<boolean> {
  const until = clock.monotonic() + ms;
  for (;;) {
    if (await act()) return true;
    if (clock.monotonic() >= until) return false;
    await sleep(clock, 500);
  }
}
