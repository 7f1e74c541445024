import type { AgentEvent } from '../protocol/index.ts';
import type { RunEnd } from '../workflows/run-types.ts';
import type { SystemBody } from './task-frames.ts';

type WorkflowEvent = Extract<AgentEvent, { type: 'workflow_changed' | 'workflow_call_changed' }>;

/** Runs of workflows and their calls: subtypes of our own, named after their events. */
export function workflowFrame(event: WorkflowEvent): SystemBody {
  if (event.type === 'workflow_call_changed') {
    const { runId, callId, label, phase, state, agentId, outcome, verdict, reason, tokens } = event.call;
    return {
      subtype: 'workflow_call_changed',
      ...{ run_id: runId, call_id: callId, label, phase, state, agent_id: agentId },
      ...{ outcome, verdict, reason, tokens },
    };
  }
  const { runId, taskId, name, status, phases, phase, calls, census, spent, reason, until } = event.workflow;
  return {
    subtype: 'workflow_changed',
    ...{ run_id: runId, task_id: taskId, name, status, phases, phase, calls, census },
    ...{ usage: spent, reason, until },
  };
}

/** The fields that the result of a lead has too mean the same. */
export function workflowResultFields(end: RunEnd, text: string, durationMs: number): object {
  const { runId, status, value, reason, until, census, spent } = end;
  const isDone = status === 'completed';
  return {
    ...{ subtype: isDone ? 'success' : 'error_during_execution', is_error: !isDone },
    ...{ duration_ms: Math.round(durationMs), result: text, run_id: runId, status },
    ...{ value, reason, until, census, usage: spent },
  };
}
