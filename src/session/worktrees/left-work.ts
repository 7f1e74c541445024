import { describeKept } from '../../agents/worktrees.ts';
import type { TaskRecord } from '../../protocol/index.ts';
import type { Restored } from '../restore.ts';
import type { Surroundings } from '../surroundings.ts';
import { worktreeWorld } from './world.ts';

/** Agents that a crash cut off, with what they left in their worktrees: nobody could say so at their end. */
export async function findLeftWork(restored: Restored, around: Surroundings): Promise<Restored> {
  const cutOff = restored.agents.filter(({ task, end }) => !end && task.agent?.worktree !== undefined);
  if (cutOff.length === 0) return restored;
  const { listRecords } = await import('../../workspace/worktrees/record.ts');
  const { describeLeft } = await import('../../workspace/worktrees/worktree.ts');
  const records = listRecords(around.home).filter(
    ({ session, state, scratch }) => session === restored.sessionId && state === 'ready' && !scratch,
  );
  const left = new Map<string, NonNullable<TaskRecord['left']>>();
  for (const { task } of cutOff) {
    const record = records.find(({ agentId }) => agentId === task.id);
    if (record)
      left.set(task.id, await describeKept(record.slug, await describeLeft(record, worktreeWorld(around))));
  }
  const tell = (record: TaskRecord): TaskRecord => {
    const found = record.end ? undefined : left.get(record.task.id);
    return found ? { ...record, left: found } : record;
  };
  const { untold, agents, tasks } = restored;
  return { ...restored, untold: untold.map(tell), agents: agents.map(tell), tasks: tasks.map(tell) };
}
