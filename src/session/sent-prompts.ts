import type { AgentEvent, MessageRecord } from '../protocol/index.ts';
import type { Inbox } from '../tasks/inbox.ts';

/**
 * The prompts that were taken, by the uuid that their sender chose: a sender that heard nothing sends a prompt again, and it must
 * be read once. A prompt that could not be recorded is forgotten, so that it can be sent again.
 */
export class SentPrompts {
  /** In the inbox or being read, and not recorded yet. */
  readonly #open = new Set<string>();
  readonly #recorded: Set<string>;

  constructor(
    private readonly inbox: Inbox,
    opening: readonly MessageRecord[],
  ) {
    this.#recorded = new Set(opening.flatMap((record) => (isPrompt(record) ? [record.uuid] : [])));
  }

  isKnown(uuid: string | undefined): boolean {
    return uuid !== undefined && (this.#open.has(uuid) || this.#recorded.has(uuid));
  }

  note(uuid: string | undefined): void {
    if (uuid !== undefined) this.#open.add(uuid);
  }

  forget(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#open.delete(uuid);
  }

  /** After a run, each is recorded, waits for the next run, or was dropped. */
  follow(event: AgentEvent): void {
    if (event.agentId !== null) return;
    if (event.type === 'message_added' && isPrompt(event.record)) this.#recorded.add(event.record.uuid);
    if (event.type !== 'run_ended') return;
    const waiting = new Set(this.inbox.queuedPrompts());
    for (const uuid of this.#open) if (!waiting.has(uuid)) this.#open.delete(uuid);
  }
}

function isPrompt(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'human';
}
