import type { AgentEvent } from '../protocol/index.ts';

type HookEventOf = Extract<AgentEvent, { type: 'hook_started' | 'hook_progressed' | 'hook_ended' }>;

export function isHookEvent(event: AgentEvent): event is HookEventOf {
  return event.type === 'hook_started' || event.type === 'hook_progressed' || event.type === 'hook_ended';
}

/** A host's view of hooks, with `--include-hook-events`: the body of a `system` frame. */
export function hookFrame(event: HookEventOf): { subtype: string; fields: object } {
  const { id, name, event: hook_event } = event.hook;
  const common = { hook_id: id, hook_name: name, hook_event, agent_id: event.agentId ?? undefined };
  if (event.type === 'hook_started') return { subtype: 'hook_started', fields: common };
  if (event.type === 'hook_progressed') {
    const { stdout, stderr } = event;
    return { subtype: 'hook_progress', fields: { ...common, stdout, stderr, output: stdout + stderr } };
  }
  const { stdout, stderr, exitCode: exit_code, outcome } = event.end;
  return {
    subtype: 'hook_response',
    fields: { ...common, stdout, stderr, output: stdout + stderr, exit_code, outcome },
  };
}
