import type { Clock } from '../../lib/clock.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { noUsage } from '../../protocol/index.ts';
import { type JobResult, streams } from '../../remote/job.ts';
import { parseLetter } from '../../remote/letters.ts';
import { type CarriedPlace, describeMove } from '../../remote/places.ts';
import { openCursor } from '../../remote/sealed-rows.ts';
import type { ClaimedJob } from '../../remote/serve-worker.ts';
import type { JobState } from '../../remote/steps.ts';
import type { Session } from '../session.ts';
import type { StepCarrier } from './carry-steps.ts';
import { followRuns } from './follow-runs.ts';
import type { RemoteAnswers } from './remote-answers.ts';
import { leadLog } from './restore-logs.ts';

export interface JobTools {
  carrier: StepCarrier;
  answers: RemoteAnswers;
  state: JobState;
  place: CarriedPlace;
  clock: Clock;
}

const pollMs = 1000;
/** A worker that ends waits this long for calls that run. Then their result is not known. */
const maxLeaveMs = 30_000;

/** Gives the session its letters until it has answered all of them and is at rest. Undefined: the job is not finished. */
export async function converse(
  session: Session,
  job: ClaimedJob,
  { carrier, answers, state, place, clock }: JobTools,
): Promise<JobResult | undefined> {
  const { order, engine, submitter, epoch, signal, leaving, waiter } = job;
  const isTheirs = (signer: string) => signer === submitter;
  const readLetters = openCursor(engine, order.id, streams.letters, isTheirs);
  const readStop = openCursor(engine, order.id, streams.stop, isTheirs);
  const transcript = state.logs.get(leadLog) ?? '';
  const runs = followRuns(session, signal, {
    heard: (event) => carrier.note(event),
    changed: () => waiter.wake(),
  });
  const say = (content: string, uuid: string) => {
    runs.expect(uuid);
    // Refused only when another process has the session.
    session.send({ type: 'prompt', content, uuid, delivery: 'steer', isVerbatim: true });
  };
  const wake = () => waiter.wake();
  leaving.addEventListener('abort', wake, { once: true });
  signal.addEventListener('abort', wake, { once: true });
  const leave = startLeaving(job, clock);
  const forget = session.steps.onChange(wake);
  let isStopped = false;
  try {
    // The conversation of an earlier job was put there by the submitter, which says so itself.
    if (transcript !== '' && state.place) say(describeTakeover(state.place, place), `takeover-${epoch}`);
    for (;;) {
      const letters = await readLetters();
      for (const { body } of letters.ok && !isStopped ? letters.value : []) {
        const letter = parseLetter(body);
        if (letter && !transcript.includes(`"uuid":${JSON.stringify(letter.uuid)}`))
          say(letter.text, letter.uuid);
      }
      const stops = await readStop();
      if (stops.ok && stops.value.length > 0 && !isStopped) {
        isStopped = true;
        await session.stopAll();
        runs.giveUp();
      }
      await answers.read();
      if (signal.aborted || carrier.problem || session.loss) return undefined;
      const isRead = letters.ok && letters.value.length === 0;
      const end = runs.isAtRest && isRead ? runs.outcome() : undefined;
      const outcome = isStopped ? (runs.outcome() ?? stopped) : end;
      if (outcome) return { outcome, ...keepDefined({ cost: runs.cost() }) };
      if (leaving.aborted) session.steps.hold();
      if (leaving.aborted && (session.steps.isQuiet || leave.isOver())) {
        await carrier.store();
        return undefined;
      }
      await waiter.wait(pollMs, signal);
    }
  } finally {
    leave.close();
    forget();
    leaving.removeEventListener('abort', wake);
    signal.removeEventListener('abort', wake);
  }
}

const stopped = {
  kind: 'interrupted' as const,
  text: '',
  reason: 'The agent was stopped.',
  turns: 0,
  usage: noUsage,
};

/** Measures how long the worker has been about to end. */
function startLeaving({ leaving, waiter }: ClaimedJob, clock: Clock) {
  let isOver = false;
  let cancel = () => {};
  const begin = () => {
    cancel = clock.after(maxLeaveMs, () => {
      isOver = true;
      waiter.wake();
    });
  };
  if (leaving.aborted) begin();
  else leaving.addEventListener('abort', begin, { once: true });
  return {
    isOver: () => isOver,
    close() {
      cancel();
      leaving.removeEventListener('abort', begin);
    },
  };
}

function describeTakeover(before: CarriedPlace, now: CarriedPlace): string {
  const moved = describeMove(before, now);
  return (
    `The worker that ran you has ended. You continue on another one from the last finished step. ${moved}${moved && ' '}` +
    'Files are as they were after that step: changes of a call whose result is missing are not there. Continue the task.'
  );
}
