import type { AgentKernel } from '../agents/kernel.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text.ts';
import type { TaskView, WaitingCall } from '../protocol/index.ts';

type Registry = Pick<AgentKernel, 'tasks' | 'roster' | 'settings'>;

/** A task by its id, or an agent by the name that it was given. */
export function findTask({ tasks, roster }: Registry, address: string): TaskView | undefined {
  const named = roster.resolve(address);
  return tasks.view(address) ?? (named === undefined ? undefined : tasks.view(named));
}

/** Stops a task for a person: only a person goes on with it. One that is over stays as it ended. */
export function stopTask(registry: Registry, address: string): Result<void> {
  const task = findTask(registry, address);
  if (!task) return usage(`There is no task ${visibleLine(address, 100)}.`);
  void registry.tasks.find(task.id)?.kill('stopped by the user', 'user');
  return ok(undefined);
}

/** Lets calls go on without what they wait for. A command of an agent below holds up nobody but that agent. */
export function moveToBackground({ tasks, settings }: Registry, toolUseId: string | undefined): Result<void> {
  if (!settings.background)
    return usage('Background tasks are switched off for this session.', 'The setting is agents.background.');
  const waited = tasks
    .running()
    .filter((task) => !task.isBackgrounded && (toolUseId === undefined || task.toolUseId === toolUseId));
  const moved = waited.filter((task) => tasks.find(task.id)?.moveToBackground());
  const isWanted = (call: WaitingCall) =>
    toolUseId === undefined ? call.owner === null : call.toolUseId === toolUseId;
  const count = moved.length + tasks.waiting.move(isWanted);
  return count > 0 ? ok(undefined) : usage('Nothing runs in the foreground that could be moved.');
}
