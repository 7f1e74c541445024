import type { Message, MessageRecord, UserMessage } from '../protocol/index.ts';

/**
 * The messages of one agent, as they go to the model. Grows only at its end: nothing that was sent is
 * ever rendered again, so a provider's cache holds. Consecutive user records become one message, since a
 * turn's tool results and what steers it arrive one by one.
 */
export class Conversation {
  readonly #messages: Message[] = [];
  #lastUuid: string | null = null;

  constructor(records: readonly MessageRecord[] = []) {
    for (const record of records) this.add(record);
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get lastUuid(): string | null {
    return this.#lastUuid;
  }

  add(record: MessageRecord): void {
    this.#lastUuid = record.uuid;
    const last = this.#messages.at(-1);
    if (record.type === 'user' && last?.role === 'user')
      this.#messages[this.#messages.length - 1] = join(last, record.message);
    else this.#messages.push(record.message);
  }
}

function join(first: UserMessage, second: UserMessage): UserMessage {
  return { role: 'user', content: [...first.content, ...second.content] };
}
