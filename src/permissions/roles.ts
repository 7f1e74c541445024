import type { Role } from '../places/types.ts';
import { fullRole } from './ceiling.ts';

/** The roles of the built-in agent types. What each is asked to do stands with its definition. */
export const exploreRole: Role = {
  tools: '*',
  denied: ['Agent', 'ExitPlanMode', 'Edit', 'Write', 'NotebookEdit'],
  shell: 'read-only',
  writes: false,
  secrets: 'closed',
};

export const planRole: Role = exploreRole;

export const generalPurposeRole: Role = fullRole;

/** All that a coordinator can have. None of them reads or writes a file of the model's choosing. */
export const coordinatorTools: readonly string[] = [
  ...['Agent', 'SendMessage', 'TaskStop'],
  ...['Land', 'ExitPlanMode', 'SyntheticOutput', 'subscribe_pr_activity'],
];

/** Asked again at every call, whatever the model was shown. Landing writes, hence `writes`; nothing else of it does. */
export const coordinatorRole: Role = {
  tools: coordinatorTools,
  denied: [],
  shell: 'none',
  writes: true,
  because:
    'because it coordinates: start a worker for it with Agent, or go on with one that is there by SendMessage',
};

/** The coordinator's worker: the tools that belong to a team and to the coordinator itself are not for it. */
export const workerRole: Role = {
  ...fullRole,
  denied: ['Agent', 'TeamCreate', 'TeamDelete', 'SendMessage', 'ExitPlanMode', 'EnterPlanMode'],
};
