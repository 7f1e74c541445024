import type { DoorClient } from '../../door/door-client.ts';
import { systemClock } from '../../lib/clock.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { TaskStatus, TaskView } from '../../protocol/index.ts';
import { connectOwner } from '../../session/attached/connect-owner.ts';
import { sweepDead } from '../../session/owner.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { endedWithSession, type FoundTask, findTask } from './find-task.ts';
import { stopStored } from './stop-stored.ts';

const patienceMs = 15_000;

export interface Stopped {
  taskId: string;
  sessionId: string;
  status: TaskStatus;
  message: string;
}

/**
 * Asks the process that has the session open to stop a task, and waits until it has. If none has it open, the stop of a suspended
 * agent is recorded, so that it does not continue.
 */
export async function stopTask(around: Surroundings, found: FoundTask): Promise<Result<Stopped>> {
  const { session, task, owner } = found;
  const isLost = task.error === endedWithSession;
  if (!owner && task.kind === 'local_agent' && (isLost || task.suspended)) {
    const stopped = await stopStored(around, found);
    if (!stopped.ok) return stopped;
    const dead = isLost ? 'its process no longer exists, what that left running was ended, and ' : '';
    if (stopped.value)
      return ok(describeEnd(found, `was stopped: ${dead}it does not continue with its session`));
  }
  if (isLost) {
    sweepDead(around.home);
    return ok(
      describeEnd(found, 'has ended: its process no longer exists. Processes it left running were stopped'),
    );
  }
  if (!isUnderWay(task) && !(owner && task.suspended))
    return ok(describeEnd(found, `had already ended: ${task.status}`));
  const wish = { client: 'cadre tasks stop', events: ['task_changed'] as const, patienceMs };
  const connected = await connectOwner(around.home, session.id, wish);
  // It may have ended since we looked, and its session with it.
  if (!connected.ok) return (await findEnded(around, found)) ?? connected;
  const client = connected.value;
  try {
    const end = await stopThrough(client, task);
    if (end === 'lost') return (await findEnded(around, found)) ?? lost(found);
    if (end === 'late')
      return failure(
        `Process ${owner?.pid} was asked to stop ${task.id} and has not done so within ${patienceMs / 1000} s.`,
        'It may be busy or suspended. cadre tasks shows when the task ends.',
      );
    return end.ok ? ok(describeEnded({ ...found, task: end.value })) : end;
  } finally {
    client.close();
  }
}

type End = Result<TaskView> | 'lost' | 'late';

async function stopThrough(client: DoorClient, { id, runId }: TaskView): Promise<End> {
  const known = client.welcome.tasks.find((task) => task.id === id && task.runId === runId);
  if (known && !isUnderWay(known) && !known.suspended) return ok(known);
  const done = Promise.withResolvers<End>();
  client.follow((event) => {
    if (event.type !== 'task_changed' || event.task.id !== id || event.task.runId !== runId) return;
    if (!isUnderWay(event.task) && !event.task.suspended) done.resolve(ok(event.task));
  });
  void client.ended.then(() => done.resolve('lost'));
  const cancel = systemClock.after(patienceMs, () => done.resolve('late'));
  void client.send({ type: 'stop_task', taskId: id, runId }).then((taken) => {
    if (!taken.ok) done.resolve(taken);
  });
  const end = await done.promise;
  cancel();
  return end;
}

/** The end of the task, if its transcript has it by now. */
async function findEnded(around: Surroundings, found: FoundTask): Promise<Result<Stopped> | undefined> {
  const now = await findTask(around, found.task.id, { session: found.session.id });
  if (!now.ok) return now;
  const { task } = now.value;
  return task.runId === found.task.runId && isUnderWay(task) ? undefined : ok(describeEnded(now.value));
}

function lost({ session, task }: FoundTask): Result<never> {
  return failure(
    `The connection to session ${session.id} was lost before task ${task.id} ended.`,
    'cadre tasks shows its state.',
  );
}

function describeEnded(found: FoundTask): Stopped {
  const { status } = found.task;
  return describeEnd(found, status === 'killed' ? 'was stopped' : `ended: ${status}`);
}

function describeEnd({ session, task }: FoundTask, how: string): Stopped {
  return { taskId: task.id, sessionId: session.id, status: task.status, message: `Task ${task.id} ${how}.` };
}
