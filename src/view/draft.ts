import type { Agent } from './agent.ts';
import { unknownAgent } from './agents.ts';
import type { Entry, EntryBody, Live, ShownConversation } from './entry.ts';
import type { Task } from './task.ts';
import type { SessionFacts, View } from './view.ts';

/**
 * The next view while it is built. Maps are copied at their first change and then written to, so a batch of a
 * thousand streamed pieces copies them once. It is not visible before it is complete.
 */
export class Draft {
  #view: View;
  #agents: Map<string, Agent> | undefined;
  #tasks: Map<string, Task> | undefined;

  constructor(
    view: View,
    readonly at: number,
  ) {
    this.#view = view;
  }

  get view(): View {
    return this.#view;
  }

  set(fields: Partial<View>): void {
    this.#view = { ...this.#view, ...fields };
  }

  setSession(fields: Partial<SessionFacts>): void {
    this.set({ session: { ...this.#view.session, ...fields } });
  }

  /** An agent known only from its events gets an entry with nothing but its id. */
  agent(id: string): Agent {
    return this.#view.agents.get(id) ?? unknownAgent(id, this.#view.agents, this.at);
  }

  putAgent(agent: Agent): void {
    if (!this.#agents) {
      this.#agents = new Map(this.#view.agents);
      this.set({ agents: this.#agents });
    }
    this.#agents.set(agent.id, agent);
  }

  dropAgent(id: string): void {
    const agents = new Map(this.#view.agents);
    agents.delete(id);
    this.#agents = agents;
    this.set({ agents });
  }

  putTask(task: Task): void {
    if (!this.#tasks) {
      this.#tasks = new Map(this.#view.tasks);
      this.set({ tasks: this.#tasks });
    }
    this.#tasks.set(task.id, task);
  }

  dropTask(id: string): void {
    const tasks = new Map(this.#view.tasks);
    tasks.delete(id);
    this.#tasks = tasks;
    this.set({ tasks });
  }

  /** Null is the lead. */
  conversation(agentId: string | null): ShownConversation {
    return agentId === null ? this.#view.lead : this.agent(agentId).conversation;
  }

  setConversation(agentId: string | null, conversation: ShownConversation): void {
    if (agentId === null) this.set({ lead: conversation });
    else this.putAgent({ ...this.agent(agentId), conversation });
  }

  setLive(agentId: string | null, fields: Partial<Live>): void {
    const conversation = this.conversation(agentId);
    this.setConversation(agentId, { ...conversation, live: { ...conversation.live, ...fields } });
  }

  /** Finished: never to be changed again. */
  add(agentId: string | null, added: readonly Entry[]): void {
    if (added.length > 0) this.setConversation(agentId, withEntries(this.conversation(agentId), added));
  }

  /** Entries without a name are numbered in their conversation. */
  say(agentId: string | null, body: EntryBody): void {
    const id = `${body.kind}.${this.number(agentId)}`;
    this.add(agentId, [{ id, at: this.at, ...body }]);
  }

  number(agentId: string | null, counter: 'serial' | 'streamed' = 'serial'): number {
    const conversation = this.conversation(agentId);
    this.setConversation(agentId, { ...conversation, [counter]: conversation[counter] + 1 });
    return conversation[counter];
  }
}

/** A quarter over the limit is tolerated, so that not every entry moves all others. */
function withEntries(conversation: ShownConversation, added: readonly Entry[]): ShownConversation {
  const entries = [...conversation.entries, ...added];
  const { most, left } = conversation;
  if (entries.length <= most * 1.25) return { ...conversation, entries };
  const surplus = entries.length - most;
  // Earlier entries are in the transcript; reading cannot continue from the middle.
  return { ...conversation, entries: entries.slice(surplus), left: left + surplus, before: null };
}
