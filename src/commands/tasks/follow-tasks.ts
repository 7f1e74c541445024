import type { DoorClient, DoorEnd } from '../../door/door-client.ts';
import type { Io } from '../../headless/io.ts';
import { systemClock } from '../../lib/clock.ts';
import { failure, ok, type Result, usage } from '../../lib/result.ts';
import { countThings } from '../../lib/text/count-things.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { formatCount } from '../../models/budget/caps.ts';
import type { AgentEvent, TaskView } from '../../protocol/index.ts';
import { connectOwner } from '../../session/attached/connect-owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import type { SessionSummary } from '../../store/sessions.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { findSessions, findTask, type Where } from './find-task.ts';
import { formatTaskState, nameKind } from './render-tasks.ts';

const patienceMs = 15_000;

/** Prints the changes of a live session's tasks, one line each, until the task or the session ends. */
export async function followTasks(
  io: Io,
  around: Surroundings,
  id: string,
  flags: Where & { json?: boolean },
): Promise<Result<string>> {
  const sought = await findFollowed(around, id, flags);
  if (!sought.ok) return sought;
  const { session, task } = sought.value;
  if (task && !isUnderWay(task)) return ok(printTask(task, flags));
  const print = (shown: TaskView) => void io.writeOut(printTask(shown, flags));
  for (let since: string | undefined; ; ) {
    const connected = await connectOwner(around.home, session.id, {
      client: 'cadre tasks follow',
      since,
      patienceMs,
      events: ['task_changed', 'task_progressed'],
    });
    if (!connected.ok) return connected;
    const end = await followThrough(connected.value, task, print);
    since = connected.value.cursor;
    connected.value.close();
    if (end === 'ended' || end.kind === 'closed') return ok('');
    if (end.kind === 'refused') return failure(end.message);
    // Changes missed while it was too slow are lost: it restarts from the current state.
    if (end.kind === 'behind') since = undefined;
  }
}

interface Followed {
  session: SessionSummary;
  /** All tasks of the session unless given. */
  task: TaskView | undefined;
}

async function findFollowed(around: Surroundings, id: string, where: Where): Promise<Result<Followed>> {
  if (id !== '') {
    const found = await findTask(around, id, where);
    return found.ok ? ok({ session: found.value.session, task: found.value.task }) : found;
  }
  const sessions = await findSessions(around, where);
  if (!sessions.ok) return sessions;
  const [session] = sessions.value;
  return session ? ok({ session, task: undefined }) : usage('There is no session in this directory.');
}

/** Settled when the task or the connection has ended. */
async function followThrough(
  client: DoorClient,
  followed: TaskView | undefined,
  print: (task: TaskView) => void,
): Promise<DoorEnd | 'ended'> {
  const done = Promise.withResolvers<DoorEnd | 'ended'>();
  const show = (task: TaskView) => {
    if (followed && (task.id !== followed.id || task.runId !== followed.runId)) return;
    print(task);
    if (followed && !isUnderWay(task)) done.resolve('ended');
  };
  if (!client.welcome.resumed)
    for (const task of client.welcome.tasks) if (followed || isUnderWay(task)) show(task);
  client.follow((event: AgentEvent) => {
    if (event.type === 'task_changed' || event.type === 'task_progressed') show(event.task);
  });
  void client.ended.then(done.resolve);
  return done.promise;
}

function printTask(task: TaskView, { json }: { json?: boolean }): string {
  if (json) return `${JSON.stringify(task)}\n`;
  const { progress } = task.agent ?? {};
  const counts = progress
    ? `${countThings(progress.toolUses, 'tool use')}, ${formatCount(progress.spentTokens)} tokens`
    : undefined;
  const cells = [
    ...[
      task.id,
      nameKind(task.kind),
      formatTaskState(task, systemClock.now()),
      task.agent?.name ?? task.agent?.type,
    ],
    ...[
      task.description,
      counts,
      task.suspended?.reason ?? (isUnderWay(task) ? progress?.activities.at(-1) : task.error),
    ],
  ];
  return `${cells.flatMap((cell) => (cell ? [visibleLine(cell, 100)] : [])).join('  ')}\n`;
}
