import type { TaskEnd, TaskHandle, TaskView } from '../protocol/index.ts';

/** The handle of a finished task that was read back from disk: nothing can be done with it but look at its end. */
export function finishedHandle(task: TaskView, end: TaskEnd): TaskHandle {
  return {
    id: task.id,
    kind: task.kind,
    runId: task.runId,
    outputFile: task.outputFile,
    status: () => task.status,
    result: async () => end,
    kill: async () => {},
    moveToBackground: () => false,
    isBackgrounded: () => task.isBackgrounded,
    backgrounded: async () => {},
    noteRetrieved: () => {},
  };
}
