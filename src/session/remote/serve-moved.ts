import { isPiece } from '../../door/event-log.ts';
import { readCommand } from '../../door/read-frame.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Result, usage } from '../../lib/result.ts';
import type { AgentEvent, Command, PermissionMode } from '../../protocol/index.ts';
import { nameWork, parseQuietly, streams } from '../../remote/job.ts';
import { openCursor } from '../../remote/sealed-rows.ts';
import type { ClaimedJob } from '../../remote/serve-worker.ts';
import type { JobState } from '../../remote/steps.ts';
import type { Session } from '../session.ts';
import { type CarriedKinds, jobKinds, type StepCarrier } from './carry-steps.ts';
import { limitMode } from './describe-order.ts';
import { limitAnswer } from './remote-answers.ts';
import { leadLog } from './restore-logs.ts';

const pollMs = 1000;
/** As for jobs: a worker that ends waits this long for calls that run. */
const maxLeaveMs = 30_000;

/** Everything that a screen shows, but pieces of answers. */
export const movedKinds: CarriedKinds = {
  carries: (event) => !isPiece(event) && event.type !== 'task_progressed',
  isStep: (event) => stepTypes.has(event.type) || jobKinds.isStep(event),
  hasLedger: true,
};

const stepTypes: ReadonlySet<AgentEvent['type']> = new Set([
  ...(['run_ended', 'question_asked', 'question_answered', 'state_changed'] as const),
  ...(['task_changed', 'notice_given', 'mode_changed', 'model_changed'] as const),
]);

export interface MovedTools {
  carrier: StepCarrier;
  state: JobState;
  clock: Clock;
  highestMode: PermissionMode;
  /** Whether a row of this signer is a worker's of the fleet. */
  accepts(signer: string): boolean;
}

/** Has a session that was moved here until it is recalled: then 'recalled'. Undefined: another worker continues. */
export async function serveMoved(
  session: Session,
  job: ClaimedJob,
  { carrier, state, clock, highestMode, accepts }: MovedTools,
): Promise<'recalled' | undefined> {
  const { engine, order, submitter, signal, leaving, waiter } = job;
  const isTheirs = (signer: string) => signer === submitter;
  const readCommands = openCursor(engine, order.id, streams.commands, isTheirs);
  const readRecall = openCursor(engine, order.id, streams.recall, isTheirs);
  const replied = await readKeys(job, accepts);
  const transcript = state.logs.get(leadLog) ?? '';
  const wake = () => waiter.wake();
  const follow = followEvents(session, carrier);
  const forget = session.steps.onChange(wake);
  leaving.addEventListener('abort', wake, { once: true });
  signal.addEventListener('abort', wake, { once: true });
  let leaveBy = Number.POSITIVE_INFINITY;
  try {
    session.continueSuspended();
    for (;;) {
      const commands = await readCommands();
      for (const { key, body } of commands.ok && !leaving.aborted ? commands.value : []) {
        const command = readCommand(parseQuietly(body));
        if (!command || isDone(command, key, replied, transcript)) continue;
        const taken = take(session, command, key, highestMode);
        const reply = JSON.stringify({ id: key, ...(taken.ok ? {} : { problem: taken.problem }) });
        if (!(await carrier.store([], [{ stream: streams.replies, key, body: reply }]))) return undefined;
      }
      const recalls = await readRecall();
      if (signal.aborted || carrier.problem || session.loss) return undefined;
      if (recalls.ok && recalls.value.length > 0) return 'recalled';
      if (leaving.aborted) {
        session.steps.hold();
        leaveBy = Math.min(leaveBy, clock.monotonic() + maxLeaveMs);
        if (session.steps.isQuiet || clock.monotonic() >= leaveBy) {
          await carrier.store();
          return undefined;
        }
      }
      await waiter.wait(pollMs, signal);
    }
  } finally {
    forget();
    follow.stop();
    leaving.removeEventListener('abort', wake);
    signal.removeEventListener('abort', wake);
  }
}

function followEvents(session: Session, carrier: StepCarrier): { stop(): void } {
  let isOver = false;
  const events = session.events();
  void (async () => {
    for await (const event of events) {
      if (isOver) break;
      carrier.note(event);
    }
  })();
  return {
    stop() {
      isOver = true;
    },
  };
}

/** Commands that an earlier worker has taken. */
async function readKeys(
  { engine, order, submitter }: ClaimedJob,
  accepts: (signer: string) => boolean,
): Promise<ReadonlySet<string>> {
  const work = nameWork(order.id, submitter);
  const rows = await openCursor(engine, order.id, streams.replies, accepts, work)();
  return new Set(rows.ok ? rows.value.map(({ key }) => key) : []);
}

/** A prompt that an earlier worker has taken may not have been read: then it is in no conversation. */
function isDone(command: Command, key: string, replied: ReadonlySet<string>, transcript: string): boolean {
  if (command.type !== 'prompt') return replied.has(key);
  return transcript.includes(`"uuid":${JSON.stringify(command.uuid ?? key)}`);
}

/** Whoever signed it, nothing is allowed beyond this worker's ceiling. */
function take(session: Session, command: Command, key: string, highest: PermissionMode): Result<void> {
  switch (command.type) {
    case 'prompt':
      return session.send({ ...command, uuid: command.uuid ?? key });
    case 'answer':
      return session.send({ ...command, answer: limitAnswer(command.answer, highest) });
    case 'set_permission_mode':
      return limitMode(command.mode, highest) === command.mode
        ? session.send(command)
        : usage(`This worker allows no mode above ${highest}.`);
    case 'move':
      return usage('The session runs on a worker.', 'Bring it home first: cadre move SESSION --to here.');
    default:
      return session.send(command);
  }
}
