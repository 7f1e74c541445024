import type { StepGate } from '../loop/agent-context.ts';
import type { AgentEvent } from '../protocol/index.ts';
import type { SessionEvents } from './events.ts';

/** Tools that wait for other agents, whose own calls are counted. */
const waitingTools: ReadonlySet<string> = new Set(['Agent', 'SendMessage']);

/** Where all agents of a session stop, between two steps, so that it can be continued elsewhere. */
export interface SessionSteps {
  /** Asked before a call that can change something is recorded as begun. */
  readonly gate: StepGate;
  /** From here on no such call begins. Those that run continue. */
  hold(): void;
  /** No call runs that can change something. */
  readonly isQuiet: boolean;
  /** Calls back whenever a call has ended. */
  onChange(listener: () => void): () => void;
}

export function openSteps(events: Pick<SessionEvents, 'listen'>): SessionSteps {
  const open = new Set<string>();
  const listeners = new Set<() => void>();
  let isHeld = false;
  events.listen((event) => {
    if (open.size > 0 && forget(open, event)) for (const listener of listeners) listener();
  });
  return {
    gate({ agentId, toolUseId, toolName }, signal) {
      if (isHeld) return untilAborted(signal);
      if (!waitingTools.has(toolName)) open.add(nameCall(agentId, toolUseId));
      return undefined;
    },
    hold() {
      isHeld = true;
    },
    get isQuiet() {
      return open.size === 0;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function nameCall(agentId: string | null, toolUseId: string): string {
  return `${agentId} ${toolUseId}`;
}

/** A call is over when its result is recorded, or with the run that it belonged to. */
function forget(open: Set<string>, event: AgentEvent): boolean {
  const before = open.size;
  const { agentId } = event;
  if (event.type === 'run_ended')
    for (const name of [...open]) if (name.startsWith(nameCall(agentId, ''))) open.delete(name);
  if (event.type === 'message_added' && event.record.type === 'user') {
    const { content } = event.record.message;
    for (const block of typeof content === 'string' ? [] : content)
      if (block.type === 'tool_result') open.delete(nameCall(agentId, block.tool_use_id));
  }
  return open.size < before;
}

/** It never begins here: false once its agent has stopped. */
function untilAborted(signal: AbortSignal): Promise<false> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true }));
}
