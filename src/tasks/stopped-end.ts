import { isAgentTask, type TaskEnd, type TaskView } from '../protocol/index.ts';

/** Earlier progress stays; the rest is set again. An agent whose turn was interrupted was not itself stopped. */
export function stoppedEnd(
  { stoppedBy, kind }: TaskView,
  { text, outcome, usage, worktree }: TaskEnd,
  reason: string,
): TaskEnd {
  const isInterrupted = isAgentTask({ kind }) && !stoppedBy && outcome === 'interrupted';
  return {
    status: 'killed',
    outcome: isInterrupted ? 'interrupted' : 'killed',
    text,
    reason,
    ...(usage ? { usage } : {}),
    ...(worktree ? { worktree } : {}),
  };
}
