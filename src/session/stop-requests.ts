import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentKernel } from '../agents/kernel.ts';
import { ensurePrivateDirectory, writeAtomic } from '../lib/atomic.ts';
import type { Clock } from '../lib/clock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { TaskView } from '../protocol/index.ts';
import { isUnderWay, type Tasks } from '../tasks/tasks.ts';
import type { SessionFeature } from './opening.ts';
import { stopTask } from './tasks.ts';

/**
 * How another process of the same user asks the one that has a session open to stop a task: a file beside the
 * transcript, named by the task, that says which run is meant. The owner looks for such files while it has tasks.
 */
const lookEveryMs = 500;
const safeId = /^[a-z][A-Za-z0-9_-]{1,100}$/;

export function requestStop(sessionDirectory: string, { id, runId }: TaskView): Result<void> {
  const directory = findFolder(sessionDirectory);
  const made = ensurePrivateDirectory(directory);
  if (!made.ok) return made;
  const written = writeAtomic(join(directory, `${id}.json`), JSON.stringify({ runId }));
  return written.ok ? ok(undefined) : written;
}

/** Lets other programs of the user stop tasks; not where nothing is kept, and not of a tape that is played back. */
export function stopRequestFeature(agents: AgentKernel): SessionFeature {
  return {
    name: 'stop requests',
    open({ identity, options, place, tape, tasks, events }) {
      if (options.persist === false || tape?.isReplay) return {};
      const stop = (taskId: string) => {
        const act = () => stopTask(agents, taskId);
        if (tape) tape.takeCommand({ type: 'stop_task', taskId }, act);
        else act();
      };
      const { clock } = place.outside;
      const watch = watchStopRequests({ sessionDirectory: identity.files.directory, clock, tasks, stop });
      events.listen((event) => {
        if (event.type === 'task_changed') watch.note(event.task);
      });
      return { close: () => void watch.close() };
    },
  };
}

export interface StopWatch {
  /** A task changed: from its beginning on there is something to stop. */
  note(task: TaskView): void;
  close(): void;
}

export interface StopWatchParts {
  sessionDirectory: string;
  clock: Clock;
  tasks: Pick<Tasks, 'view' | 'running'>;
  stop(taskId: string): void;
}

export function watchStopRequests({ sessionDirectory, clock, tasks, stop }: StopWatchParts): StopWatch {
  const directory = findFolder(sessionDirectory);
  let cancel: (() => void) | undefined;
  const look = () => {
    cancel = undefined;
    for (const id of requestedIn(directory)) {
      const runId = takeRequest(join(directory, `${id}.json`));
      // A request for a run that is over is dropped: it must not hit the next one.
      if (runId !== undefined && tasks.view(id)?.runId === runId) stop(id);
    }
    if (tasks.running().length > 0) cancel = clock.after(lookEveryMs, look);
  };
  return {
    note(task) {
      if (isUnderWay(task)) cancel ??= clock.after(lookEveryMs, look);
    },
    close() {
      cancel?.();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function findFolder(sessionDirectory: string): string {
  return join(sessionDirectory, 'stop');
}

function requestedIn(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => {
      const id = name.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
      return safeId.test(id) ? [id] : [];
    });
  } catch {
    return [];
  }
}

function takeRequest(path: string): string | undefined {
  try {
    const { runId } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof runId === 'string' ? runId : undefined;
  } catch {
    return undefined;
  } finally {
    rmSync(path, { force: true });
  }
}
