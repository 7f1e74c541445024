import type { TaskStatus, TaskView } from '../protocol/index.ts';

export const transitions: Record<TaskStatus, readonly TaskStatus[]> = {
  pending: ['running', 'failed', 'killed'],
  running: ['completed', 'failed', 'killed'],
  completed: [],
  failed: [],
  killed: [],
};

export function isUnderWay({ status }: Pick<TaskView, 'status'>): boolean {
  return transitions[status].length > 0;
}
