import type { Clock } from '../lib/clock.ts';
import { formatInstant } from '../lib/text/duration.ts';
import type { AgentEvent, TaskEnd, TaskUsage, TaskView } from '../protocol/index.ts';
import { summarise } from '../tasks/notification.ts';
import { isUnderWay } from '../tasks/tasks.ts';

/** A `system` frame without the common fields. */
export type SystemBody = { subtype: string } & Record<string, unknown>;

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Reports tasks in frames. Holds the running ones, as they were last reported. */
export class TaskFrames {
  readonly #told = new Map<string, TaskView>();

  constructor(private readonly clock: Clock) {}

  /** The known state of a running agent. */
  find(agentId: string): TaskView | undefined {
    return this.#told.get(agentId);
  }

  changed({ task, end }: Of<'task_changed'>): SystemBody[] {
    const before = this.#sameRun(task);
    const wasBehind = before?.isBackgrounded === true;
    const isBehind = isUnderWay(task) && task.isBackgrounded;
    if (isUnderWay(task)) this.#told.set(task.id, task);
    else this.#told.delete(task.id);
    return [
      ...(before ? updated(before, task) : [started(task)]),
      ...(end ? [notification(task, end)] : []),
      ...(wasBehind === isBehind ? [] : [this.background()]),
    ];
  }

  progressed({ task }: Of<'task_progressed'>): SystemBody[] {
    if (!task.agent) return [];
    this.#told.set(task.id, task);
    const { toolUses, runTokens, activities } = task.agent.progress;
    const activity = activities.at(-1);
    const durationMs = Math.max(0, this.clock.now() - Date.parse(task.startedAt));
    return [
      {
        subtype: 'task_progress',
        ...identity(task),
        usage: usageFields({ totalTokens: runTokens, toolUses, durationMs }),
        ...(activity === undefined ? {} : { last_tool_name: activity.split(' ')[0], summary: activity }),
      },
    ];
  }

  /** All that runs in the background, replacing what was reported before. */
  background(): SystemBody {
    return backgroundTasks([...this.#told.values()]);
  }

  #sameRun({ id, runId }: TaskView): TaskView | undefined {
    const before = this.#told.get(id);
    return before?.runId === runId ? before : undefined;
  }
}

function backgroundTasks(tasks: readonly TaskView[]): SystemBody {
  return {
    subtype: 'background_tasks_changed',
    tasks: tasks
      .filter((task) => task.isBackgrounded)
      .map((task) => ({
        task_id: task.id,
        run_id: task.runId,
        task_type: task.kind,
        ...pickAgentType(task),
        description: task.description,
        ...(task.suspended ? { suspended: describeSuspension(task) } : {}),
        ...pickParentTask(task),
      })),
  };
}

function started(task: TaskView): SystemBody {
  return {
    subtype: 'task_started',
    ...identity(task),
    task_type: task.kind,
    is_backgrounded: task.isBackgrounded,
    ...pickParentTask(task),
    ...(task.agent ? { spawn_depth: task.agent.depth, prompt: task.agent.prompt } : {}),
  };
}

/** Only what has changed; nothing when nothing has. */
function updated(before: TaskView, task: TaskView): SystemBody[] {
  const patch = {
    ...(task.status === before.status ? {} : { status: task.status }),
    ...(task.isBackgrounded === before.isBackgrounded ? {} : { is_backgrounded: task.isBackgrounded }),
    ...(task.suspended?.until === before.suspended?.until ? {} : { suspended: describeSuspension(task) }),
    ...(task.endedAt === undefined ? {} : { end_time: Date.parse(task.endedAt) }),
    ...(task.error === undefined ? {} : { error: task.error }),
  };
  if (Object.keys(patch).length === 0) return [];
  return [{ subtype: 'task_updated', task_id: task.id, run_id: task.runId, patch }];
}

/** Null: it no longer is. */
function describeSuspension({ suspended }: TaskView): object | null {
  if (!suspended) return null;
  const { model, reason, until } = suspended;
  return { model, reason, until: formatInstant(until) };
}

function notification(task: TaskView, end: TaskEnd): SystemBody {
  return {
    subtype: 'task_notification',
    ...identity(task),
    status: end.status === 'killed' ? 'stopped' : end.status,
    outcome: end.outcome ?? end.status,
    output_file: task.outputFile,
    summary: summarise(task, end),
    usage: end.usage ? usageFields(end.usage) : undefined,
  };
}

function identity(task: TaskView) {
  return {
    task_id: task.id,
    run_id: task.runId,
    tool_use_id: task.toolUseId,
    description: task.description,
    ...pickAgentType(task),
  };
}

function pickAgentType({ agent }: TaskView) {
  return agent ? { subagent_type: agent.type } : {};
}

/** The agent that started it, which is a task itself; the lead is not. */
function pickParentTask({ owner }: TaskView) {
  return owner === null ? {} : { parent_task_id: owner };
}

function usageFields({ totalTokens, toolUses, durationMs }: TaskUsage) {
  return { total_tokens: totalTokens, tool_uses: toolUses, duration_ms: Math.round(durationMs) };
}
