import { fullRole } from './ceiling.ts';
import type { Role } from './types.ts';

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

/** The coordinator's worker: the tools that belong to a team and to the coordinator itself are not for it. */
export const workerRole: Role = {
  ...fullRole,
  denied: ['Agent', 'TeamCreate', 'TeamDelete', 'SendMessage', 'ExitPlanMode', 'EnterPlanMode'],
};
