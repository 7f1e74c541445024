import type { DoorClient, DoorEnd } from '../../door/door-client.ts';
import { type DoorView, doorProtocol } from '../../door/frames.ts';
import type { Clock } from '../../lib/clock.ts';
import { fail, ok, type Result, usage } from '../../lib/result.ts';
import { version } from '../../lib/version.ts';
import type { AgentEvent, Command, TaskView } from '../../protocol/index.ts';
import type { Engine } from '../../remote/engine.ts';
import { nameNewsBell, nameWork, parseQuietly, streams } from '../../remote/job.ts';
import type { JobKey } from '../../remote/keys.ts';
import { openCursor, sendRow } from '../../remote/sealed-rows.ts';
import { openWaiter } from '../../remote/wait.ts';

/** A session on a worker, seen through its engine. */
export interface MovedWish {
  engine: Engine;
  key: JobKey;
  jobId: string;
  /** Whose rows are the worker's. */
  accepts(signer: string): boolean;
  clock: Clock;
  /** What is known of it while no worker has begun. */
  before: DoorView;
}

/** The bell may be lost. */
const pollMs = 1_500;
/** A worker that is busy or away answers later: the command is stored, and it is read then. */
const replyMs = 5_000;

/** The same as a door, by rows: events by cursor, signed commands down, and a reply to each. */
export async function connectMoved(wish: MovedWish): Promise<Result<DoorClient>> {
  const { engine, jobId, accepts, clock, key, before } = wish;
  const open = (stream: string) => openCursor(engine, jobId, stream, accepts, nameWork(jobId, key.name));
  const readEvents = open(streams.events);
  const readReplies = open(streams.replies);
  const readEnd = open(streams.result);
  const views = await open(streams.views)();
  if (!views.ok) return views;
  const past = await readEvents();
  if (!past.ok) return past;
  const view = (parseQuietly(views.value.at(-1)?.body ?? '') as DoorView | undefined) ?? before;
  const now = foldEvents(view, past.value.map(readBody));
  const waiter = openWaiter(engine, clock, (topic) => topic === nameNewsBell(jobId));
  const left = new AbortController();
  const ended = Promise.withResolvers<DoorEnd>();
  const asked = new Map<string, (taken: Result<void>) => void>();
  const follow = async (take: (event: AgentEvent) => void) => {
    while (!left.signal.aborted) {
      const [events, replies] = [await readEvents(), await readReplies()];
      for (const row of events.ok ? events.value : []) take(readBody(row));
      for (const { key: id, body } of replies.ok ? replies.value : []) {
        const { problem } = parseQuietly(body) as { problem?: { kind: 'usage'; message: string } };
        asked.get(id)?.(problem ? fail(problem) : ok(undefined));
      }
      const end = await readEnd();
      if (end.ok && end.value.length > 0) return ended.resolve({ kind: 'closed' });
      await waiter.wait(pollMs, left.signal);
    }
  };
  return ok({
    welcome: {
      ...{ type: 'welcome', protocol: doorProtocol, version, pid: 0, cursor: '', resumed: false },
      ...now,
    },
    cursor: '',
    send(command: Command) {
      const id = crypto.randomUUID();
      const { promise, resolve } = Promise.withResolvers<Result<void>>();
      asked.set(id, resolve);
      const body = JSON.stringify(command);
      void sendRow(engine, key, jobId, { stream: streams.commands, key: id, body }).then((sent) => {
        if (!sent.ok) resolve(sent);
        clock.after(replyMs, () => resolve(ok(undefined)));
      });
      return promise.finally(() => asked.delete(id));
    },
    follow: (take) => void follow(take),
    ended: ended.promise,
    close() {
      left.abort();
      waiter.close();
      ended.resolve({ kind: 'lost' });
    },
  });
}

function readBody({ body }: { body: string }): AgentEvent {
  return parseQuietly(body) as AgentEvent;
}

/** What has changed since a worker began with it. */
function foldEvents(view: DoorView, events: readonly AgentEvent[]): DoorView {
  const now: DoorView = { ...view };
  const tasks = new Map<string, TaskView>(view.tasks.map((task) => [task.id, task]));
  for (const event of events) {
    if (event?.type === 'task_changed') tasks.set(event.task.id, event.task);
    if (event?.type === 'question_asked') now.questions = [...now.questions, event.question];
    if (event?.type === 'question_answered')
      now.questions = now.questions.filter(({ id }) => id !== event.questionId);
    if (event?.agentId !== null) continue;
    if (event.type === 'state_changed') now.state = event.state;
    if (event.type === 'run_started') now.isLeadRunning = true;
    if (event.type === 'run_ended') [now.isLeadRunning, now.cost] = [false, event.cost ?? now.cost];
    if (event.type === 'mode_changed') now.permissionMode = event.permissionMode;
    if (event.type === 'model_changed') now.model = event.model;
  }
  return { ...now, tasks: [...tasks.values()] };
}

/** The engine that a session was moved through is the one that is known here. */
export function checkEngine({ title }: Engine, wanted: string): Result<void> {
  if (title === wanted) return ok(undefined);
  return usage(
    `The session was moved through the engine ${wanted}, and this is ${title}.`,
    'Give its address with --engine, or set CADRE_ENGINE.',
  );
}
