import { Broadcast } from '../lib/broadcast.ts';
import { weighText } from '../lib/text/weigh-text.ts';
import type { AgentEvent, AgentEventBody } from '../protocol/index.ts';

/** For a reader that does not read. A whole session is usually less. */
const maxWaitingCharacters = 64 * 1024 * 1024;

/**
 * The events of a session. They exist before any feature, so publishers and subscribers never wait to be connected. An
 * event without subscribers is lost: this is not a log.
 */
export class SessionEvents {
  readonly #broadcast = new Broadcast<AgentEvent>({
    limit: 1_000,
    droppable: (event) => event.type === 'model_streamed' || event.type === 'tool_progressed',
    weigh: weighText,
    maxWeight: maxWaitingCharacters,
  });
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  readonly #stateListeners = new Set<() => void>();
  readonly #said = new Set<string>();

  publish(event: AgentEvent): void {
    this.#broadcast.publish(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** Publishes an event of the session itself or of its lead. */
  tell(body: AgentEventBody): void {
    this.publish({ agentId: null, parentToolUseId: null, ...body });
  }

  warn(text: string): void {
    this.tell({ type: 'notice_given', level: 'warning', text });
  }

  /** Shown to the user once per message. */
  noticeOnce(level: 'debug' | 'warning', text: string): void {
    if (this.#said.has(text)) return;
    this.#said.add(text);
    this.tell({ type: 'notice_given', level, text });
  }

  warnOnce(text: string): void {
    this.noticeOnce('warning', text);
  }

  /**
   * Every event from now on. A slow reader may miss streamed pieces, never messages, questions or ends; for one that does not
   * read at all the events end, and `onOverrun` is called.
   */
  subscribe(onOverrun?: () => void): AsyncIterable<AgentEvent> {
    return this.#broadcast.subscribe(onOverrun);
  }

  /** Calls `listener` synchronously with each event. Returns a function that unsubscribes. */
  listen(listener: (event: AgentEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A question or a task came or went, so the session may have become idle or busy. */
  noteChange(): void {
    for (const listener of this.#stateListeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  close(): void {
    this.#broadcast.close();
    this.#listeners.clear();
    this.#stateListeners.clear();
  }
}
