import type { WorkflowCallView, WorkflowView } from '../protocol/workflow.ts';

/** A run of a workflow with its calls, oldest first. */
export interface ShownWorkflow extends Omit<WorkflowView, 'status'> {
  readonly status: WorkflowView['status'];
  readonly callList: readonly WorkflowCallView[];
  /** Calls that are no longer held. The run's journal has all of them. */
  readonly callsLeft: number;
}
