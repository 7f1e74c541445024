import type { TaskEnd, TaskStarter } from '../protocol/index.ts';

/** What follows a call whose work becomes a task. */
export interface Follower {
  moved(): void;
  /** However the task ended. */
  over(): void;
  /** The end as it is reported; unchanged if absent. */
  report?(end: TaskEnd): Promise<TaskEnd>;
}

/** The tasks of one call: work that it hands over to a task is followed to the task's end. */
export function followTasks(
  tasks: TaskStarter,
  { moved, over, report }: Follower,
): TaskStarter & { isHandedOver: boolean } {
  const { running, offer } = tasks;
  return {
    isHandedOver: false,
    find: (id) => tasks.find(id),
    ...(running ? { running: () => running.call(tasks) } : {}),
    ...(offer ? { offer: (call) => offer.call(tasks, call) } : {}),
    spawn(spec) {
      const run: typeof spec.run = async (task) => {
        let end: TaskEnd;
        try {
          end = await spec.run(task);
        } finally {
          over();
        }
        return report ? report(end) : end;
      };
      this.isHandedOver = true;
      moved();
      try {
        return tasks.spawn({ ...spec, run });
      } catch (error) {
        over();
        throw error;
      }
    },
  };
}
