import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { flagSuspicions } from '../agents/handoff-check.ts';
import type { AgentKernel } from '../agents/kernel.ts';
import type { Roster } from '../agents/roster.ts';
import { timestamp } from '../lib/clock.ts';
import { openRegular } from '../lib/files/open-regular.ts';
import { readBoundedText } from '../lib/files/read-bounded.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { boundText, visibleLine } from '../lib/text/text.ts';
import {
  isEndTold,
  isSubAgent,
  type TaskEnd,
  type TaskRecord,
  type TaskView,
  type WaitingCall,
} from '../protocol/index.ts';
import type { LoadedSettings } from '../settings/load.ts';
import type { AgentSettings } from '../settings/loaded.ts';
import { createOutputs } from '../store/outputs.ts';
import { type FinishedTask, keepFinishedTask, recallFinishedTask } from '../store/task-file.ts';
import type { Inbox, Letter } from '../tasks/inbox.ts';
import { renderEvent, renderNotification } from '../tasks/notification.ts';
import { Tasks } from '../tasks/tasks.ts';
import { agentSettings } from './environment.ts';
import type { SessionEvents } from './events.ts';
import type { Identity } from './identity.ts';
import type { SessionLog } from './log.ts';
import type { SessionOptions } from './options.ts';
import type { SessionClaim } from './owner.ts';
import { listCutOff, type Restored } from './restore.ts';
import type { Surroundings } from './surroundings.ts';

/** A longer result is complete in the task's output file. */
const maxStored = 100_000;

export interface RegistryParts {
  log: SessionLog;
  events: SessionEvents;
  inbox: Inbox;
  roster: Roster;
}

/** A task registry's view of its session. */
export interface RegistryStart {
  identity: Identity;
  options: SessionOptions;
  place: Surroundings;
  settings: LoadedSettings;
  restored: Restored | undefined;
  claim: SessionClaim;
}

/** The session's task registry: every state is in the transcript before a listener hears of it. */
export function createTasks(start: RegistryStart, parts: RegistryParts): Tasks {
  const { log, events, inbox, roster } = parts;
  const { identity, options, restored } = start;
  const { clock, ids } = start.place;
  const outputs = createOutputs(identity.files.toolResults);
  const directory = join(identity.files.directory, 'tasks');
  const check = readHandoffCheck(start);
  const earlier = new Map<string, FinishedTask>();
  for (const record of restored?.agents ?? []) earlier.set(record.task.id, finishTask(record, check));
  const findInbox = ({ owner }: TaskView) => (owner === null ? inbox : roster.find(owner)?.context.inbox);
  // The run ends with what gave up waiting, and both continue together.
  const isLeft = ({ owner, suspended }: TaskView) =>
    options.oneShot === true && owner === null && suspended !== undefined;
  return new Tasks({
    clock,
    ids,
    outputFile: (id) => makeOutput(outputs.pathFor(`${id}.output`)),
    changed(task, end) {
      // A full disk is reported where the conversation itself cannot be written.
      log.appendState({
        type: 'task-state',
        timestamp: timestamp(clock),
        task,
        ...(end ? { end: { ...end, text: boundText(end.text, maxStored) } } : {}),
      });
      events.tell({ type: 'task_changed', task, ...(end ? { end } : {}) });
      // After the end was delivered, so that a session that continues with it is not idle in between.
      queueMicrotask(() => events.noteChange());
    },
    progressed: (task) => events.tell({ type: 'task_progressed', task }),
    told(task, text) {
      const owner = task.owner === null ? inbox : roster.find(task.owner)?.context.inbox;
      owner?.post({
        delivery: 'steer',
        content: [{ type: 'text', text: renderEvent(task, text) }],
        origin: { kind: 'task-event', runId: task.runId },
      });
    },
    ended(task, end) {
      if (!isEndTold(task) || isLeft(task)) return;
      findInbox(task)?.post({ ...letterAbout(task, end), ...(task.suspended ? { isPassing: true } : {}) });
    },
    retrieved(task, end) {
      const isAbout = ({ origin }: Letter) =>
        origin.kind === 'task-notification' && origin.runId === task.runId;
      findInbox(task)?.rewrite(isAbout, letterAbout(task, end).content);
    },
    evict(task, end) {
      if (options.persist === false || start.claim.loss || !keepFinishedTask(directory, { task, end }))
        return false;
      earlier.delete(task.id);
      return true;
    },
    resolve: (name) => roster.resolve(name),
    // The file may be from a run before the one that the transcript knows.
    recall: (id) => earlier.get(id) ?? recallFinishedTask(directory, id),
  });
}

/** A model or user that is told of the file finds it, even if nothing was written yet. */
function makeOutput(path: string): string {
  try {
    closeSync(openRegular(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT));
  } catch {
    // The task itself reports that it cannot write.
  }
  return path;
}

/** How far results of agents are checked before they are read. */
type HandoffCheck = Pick<AgentSettings, 'handoffCheck'>;

function readHandoffCheck({ options, settings, place }: RegistryStart): HandoffCheck {
  return agentSettings(options, settings, { ...place.environment, ...settings.env });
}

function letterAbout(task: TaskView, end: TaskEnd): Letter {
  return {
    delivery: 'steer',
    content: [{ type: 'text', text: renderNotification(task, end) }],
    origin: { kind: 'task-notification', runId: task.runId },
  };
}

/** A task that ended with its session, or when its end could no longer be delivered. */
export function lateLetter(record: TaskRecord, check: HandoffCheck): Letter {
  return letterAbout(record.task, finishTask(record, check).end);
}

/**
 * The ends of tasks that a crash cut off: recorded once, before anything is said of them, so that each start reports new ones only,
 * and nothing that was reported continues later.
 */
export function listEndsWithSession(start: RegistryStart): TaskRecord[] {
  const check = readHandoffCheck(start);
  return listCutOff(start.restored?.tasks ?? [], start.restored?.suspended).map((record) => {
    const { task: finished, end } = finishTask(record, check);
    const { suspended: _, ...task } = finished;
    const now = timestamp(start.place.clock);
    const text = boundText(end.text, maxStored);
    return { type: 'task-state', timestamp: now, task: { ...task, endedAt: now }, end: { ...end, text } };
  });
}

function finishTask({ task, end, left }: TaskRecord, check: HandoffCheck): FinishedTask {
  if (end) return { task, end };
  const status = task.status === 'completed' || task.status === 'failed' ? task.status : 'killed';
  const reason = task.error ?? (status === 'killed' ? 'it ended together with its session' : undefined);
  const goesOn = isSubAgent(task) && task.owner === null ? `; SendMessage to ${task.id} resumes it` : '';
  return {
    task: { ...task, status },
    end: {
      status,
      ...(status === 'killed' ? { outcome: 'interrupted' as const } : {}),
      text: isSubAgent(task) ? lastSaid(task.outputFile, check) : '',
      ...(reason ? { reason: `${reason}${goesOn}` } : {}),
      ...(left ? { worktree: left } : {}),
    },
  };
}

const maxReportBytes = 64 * 1024 * 1024;

/** An agent's last words before it was cut off: checked like a result, since it is read as one. */
function lastSaid(outputFile: string, check: HandoffCheck): string {
  try {
    return flagSuspicions(check, boundText(readBoundedText(outputFile, maxReportBytes) ?? '', 8_000));
  } catch {
    return '';
  }
}

type Registry = Pick<AgentKernel, 'tasks' | 'roster' | 'settings'>;

/** A task by its id, or an agent by its name. */
export function findTask({ tasks, roster }: Registry, address: string): TaskView | undefined {
  const named = roster.resolve(address);
  return tasks.view(address) ?? (named === undefined ? undefined : tasks.view(named));
}

/**
 * Stops a task for the user: only the user resumes it. A finished task stays as it ended; if a run is named, a later
 * run of the same agent keeps running.
 */
export function stopTask(registry: Registry, address: string, runId?: string): Result<void> {
  const task = findTask(registry, address);
  if (!task) return usage(`No task has the id or name ${visibleLine(address, 100)}.`);
  if (runId !== undefined && task.runId !== runId)
    return usage(
      `Run ${visibleLine(runId, 100)} of task ${task.id} has ended.`,
      'Use the id of its current run.',
    );
  void registry.tasks.find(task.id)?.kill('stopped by the user', 'user');
  return ok(undefined);
}

/** Lets calls continue without what they wait for. A command of an agent below holds up only that agent. */
export function moveToBackground({ tasks, settings }: Registry, toolUseId: string | undefined): Result<void> {
  if (!settings.background)
    return usage(
      'Background tasks are disabled in this session.',
      'Set agents.background to true to enable them.',
    );
  const waited = tasks
    .running()
    .filter((task) => !task.isBackgrounded && (toolUseId === undefined || task.toolUseId === toolUseId));
  const moved = waited.filter((task) => tasks.find(task.id)?.moveToBackground());
  const isWanted = (call: WaitingCall) =>
    toolUseId === undefined ? call.owner === null : call.toolUseId === toolUseId;
  const count = moved.length + tasks.waiting.move(isWanted);
  return count > 0 ? ok(undefined) : usage('Nothing in the foreground can be moved to the background.');
}
