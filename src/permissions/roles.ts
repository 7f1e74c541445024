import type { Role } from '../places/types.ts';
import { fullRole } from './ceiling.ts';

/** The roles of the built-in agent types. Their instructions are in their definitions. */
export const exploreRole: Role = {
  tools: '*',
  denied: ['Agent', 'ExitPlanMode', 'Edit', 'Write', 'NotebookEdit'],
  shell: 'read-only',
  writes: false,
  secrets: 'closed',
};

export const planRole: Role = exploreRole;

export const generalPurposeRole: Role = fullRole;

/** All tools a coordinator can have. None of them reads or writes a file of the model's choosing. */
export const coordinatorTools: readonly string[] = [
  ...['Agent', 'SendMessage', 'TaskStop'],
  ...['Land', 'ExitPlanMode', 'SyntheticOutput', 'subscribe_pr_activity'],
];

/** Checked again at every call, whatever the model was shown. Landing writes, hence `writes`; nothing else it does writes. */
export const coordinatorRole: Role = {
  tools: coordinatorTools,
  denied: [],
  shell: 'none',
  writes: true,
  because:
    'because it is the coordinator: start a worker with Agent, or continue an existing one with SendMessage',
};

/** The coordinator's worker: it does not get the tools of a team or of the coordinator itself. */
export const workerRole: Role = {
  ...fullRole,
  denied: ['Agent', 'TeamCreate', 'TeamDelete', 'SendMessage', 'ExitPlanMode', 'EnterPlanMode'],
};
