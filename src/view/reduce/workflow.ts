import type { WorkflowCallView, WorkflowView } from '../../protocol/workflow.ts';
import { cutLine } from '../bound.ts';
import type { Draft } from '../draft.ts';
import type { EventOf } from '../entry.ts';
import type { ShownWorkflow } from '../workflow.ts';

const maxCalls = 500;
const maxRuns = 20;
const maxPhases = 50;

export function reduceWorkflow(
  draft: Draft,
  event: EventOf<'workflow_changed' | 'workflow_call_changed'>,
): void {
  const { workflows } = draft.view;
  const runId = event.type === 'workflow_changed' ? event.workflow.runId : event.call.runId;
  const before = workflows.get(runId);
  const next =
    event.type === 'workflow_changed'
      ? changeRun(before, event.workflow)
      : before && changeCall(before, event.call);
  if (!next) return;
  const all = new Map(workflows).set(runId, next);
  for (const id of [...all.keys()].slice(0, Math.max(0, all.size - maxRuns))) all.delete(id);
  draft.set({ workflows: all });
}

function changeRun(before: ShownWorkflow | undefined, workflow: WorkflowView): ShownWorkflow {
  const { name, phases, phase, reason } = workflow;
  return {
    ...workflow,
    name: cutLine(name),
    phases: phases.slice(0, maxPhases).map((phase) => cutLine(phase)),
    phase: phase === undefined ? undefined : cutLine(phase),
    reason: reason === undefined ? undefined : cutLine(reason),
    callList: before?.callList ?? [],
    callsLeft: before?.callsLeft ?? 0,
  };
}

function changeCall(run: ShownWorkflow, given: WorkflowCallView): ShownWorkflow {
  const { label, phase, reason } = given;
  const call = {
    ...given,
    label: cutLine(label),
    phase: phase === undefined ? undefined : cutLine(phase),
    reason: reason === undefined ? undefined : cutLine(reason),
  };
  const at = run.callList.findIndex(({ callId }) => callId === call.callId);
  const list = at < 0 ? [...run.callList, call] : run.callList.with(at, call);
  const surplus = Math.max(0, list.length - maxCalls);
  return { ...run, callList: list.slice(surplus), callsLeft: run.callsLeft + surplus };
}
