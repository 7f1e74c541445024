import type { TaskView } from '../protocol/index.ts';

/** False if it was so already. */
export function markResting(view: TaskView, isResting: boolean): boolean {
  if ((view.isResting === true) === isResting) return false;
  if (isResting) view.isResting = true;
  else delete view.isResting;
  return true;
}
