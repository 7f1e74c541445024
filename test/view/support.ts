import { expect } from 'bun:test';
import type { AgentEvent } from '../../src/protocol/index.ts';
import {
  type Entry,
  emptyView,
  reduce,
  type ShownCall,
  type ShownConversation,
  type View,
  type ViewEvent,
} from '../../src/view/index.ts';

/** Reduces one by one, and checks at every step that finished entries only come, each once, and stay what they were. */
export function watch(events: readonly ViewEvent[], from: View = emptyView()): View {
  let view = from;
  for (const event of events) {
    const next = reduce(view, event, 1_000);
    expectGrown(view.lead, next.lead);
    for (const [id, agent] of next.agents) {
      const before = view.agents.get(id);
      if (before && before !== agent) expectGrown(before.conversation, agent.conversation);
    }
    view = next;
  }
  for (const conversation of [view.lead, ...[...view.agents.values()].map((one) => one.conversation)]) {
    const ids = conversation.entries.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
  return view;
}

function expectGrown(before: ShownConversation, after: ShownConversation): void {
  if (before.entries === after.entries) return;
  const shift = after.left - before.left;
  expect(shift).toBeGreaterThanOrEqual(0);
  expect(after.entries.length + shift).toBeGreaterThanOrEqual(before.entries.length);
  before.entries.slice(shift).forEach((entry, index) => {
    if (entry !== after.entries[index]) throw new Error(`entry ${entry.id} is not what it was`);
  });
}

/** A conversation in a few words for each entry. */
export function told({ entries }: Pick<ShownConversation, 'entries'>): string[] {
  return entries.map(tell);
}

function tell(entry: Entry): string {
  switch (entry.kind) {
    case 'prompt':
      return `${entry.from}: ${entry.text.text}`;
    case 'text':
      return `says: ${entry.text}`;
    case 'thinking':
      return `thinks: ${entry.text}`;
    case 'call':
      return tellCall(entry.call);
    case 'agents':
      return `agents: ${entry.calls.map(tellCall).join(' + ')}`;
    case 'notification':
      return `told of ${entry.about}: ${entry.summary}`;
    case 'end':
      return `end: ${entry.outcome}${entry.reason === null ? '' : ` (${entry.reason})`}`;
    case 'notice':
      return `${entry.level}: ${entry.text}`;
    case 'compaction':
      return `compacted (${entry.trigger})`;
    case 'refused':
      return `refused: ${entry.text}`;
    case 'hook':
      return `hook ${entry.name}: ${entry.text}`;
    case 'ran':
      return `ran: ${entry.command}`;
    case 'mail':
      return `mail from ${entry.from}: ${entry.text.text}`;
    case 'rewind':
      return `went back to ${entry.to}`;
    case 'reminder':
      return 'reminder';
  }
}

function tellCall({ toolName, summary, state, agents }: ShownCall): string {
  const below = agents.map((agent) => `${agent.type} ${agent.state}, ${agent.toolUses} tools`);
  return `${toolName} ${summary} ${state}${below.length > 0 ? ` [${below.join('; ')}]` : ''}`;
}

/** Whose event it is: that of a task which is an agent belongs to the agent. */
export function ownerOf(event: AgentEvent): string | null {
  if (event.type === 'task_changed' || event.type === 'task_progressed')
    return event.task.agent ? event.task.id : event.agentId;
  return event.agentId;
}

export function lead<Body extends object>(body: Body): Body & { agentId: null; parentToolUseId: null } {
  return { agentId: null, parentToolUseId: null, ...body };
}
