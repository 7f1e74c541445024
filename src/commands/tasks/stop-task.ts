import { sleep, systemClock } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { TaskStatus } from '../../protocol/index.ts';
import { sweepDead } from '../../session/owner.ts';
import { requestStop } from '../../session/stop-requests.ts';
import type { Surroundings } from '../../session/surroundings.ts';
import { sessionLayoutIn } from '../../store/layout.ts';
import { isUnderWay } from '../../tasks/tasks.ts';
import { endedWithSession, type FoundTask, findTask } from './find-task.ts';

const patienceMs = 15_000;
const lookEveryMs = 100;

export interface Stopped {
  taskId: string;
  sessionId: string;
  status: TaskStatus;
  message: string;
}

/** Asks the process that has the session open to stop a task, and waits until it has. */
export async function stopTask(around: Surroundings, found: FoundTask): Promise<Result<Stopped>> {
  const { session, task } = found;
  if (task.error === endedWithSession) {
    sweepDead(around.home, randomIds);
    return ok(
      say(
        found,
        'is gone: the process that had its session open is no more. What that left running is ended',
      ),
    );
  }
  if (!isUnderWay(task)) return ok(say(found, `had already ended: ${task.status}`));
  const asked = requestStop(sessionLayoutIn(session.projectDirectory, session.id).directory, task);
  if (!asked.ok) return asked;
  for (const start = systemClock.monotonic(); systemClock.monotonic() - start < patienceMs; ) {
    const now = await findTask(around, task.id, { session: session.id });
    if (!now.ok) return now;
    if (now.value.task.runId !== task.runId || !isUnderWay(now.value.task))
      return ok(
        say(now.value, now.value.task.status === 'killed' ? 'is stopped' : `ended: ${now.value.task.status}`),
      );
    await sleep(systemClock, lookEveryMs, new AbortController().signal);
  }
  return failure(
    `The process ${found.owner?.pid} was asked to stop ${task.id} and has not done so within ${patienceMs / 1000} s.`,
    'It may be busy or suspended; cadre tasks shows when the task ends.',
  );
}

function say({ session, task }: FoundTask, how: string): Stopped {
  return { taskId: task.id, sessionId: session.id, status: task.status, message: `Task ${task.id} ${how}.` };
}
