import {
  type AssistantMessage,
  type Message,
  type MessageRecord,
  toolUses,
  type UserMessage,
} from '../protocol/index.ts';
import { estimateTokens } from './tokens.ts';

/**
 * The messages of one agent, as they go to the model. Grows only at its end: nothing that was sent is rendered again,
 * so a provider's cache holds. Consecutive user records become one message, since a turn's tool results and steering
 * letters arrive one by one. Only a compaction replaces it, as a whole. Its size is updated with every record, from its
 * records alone, so that it is the same after resuming.
 */
export class Conversation {
  #records: MessageRecord[] = [];
  #messages: Message[] = [];
  readonly #callIds = new Set<string>();
  readonly #leftOutTools = new Set<string>();
  #measured = 0;
  #estimated = 0;
  #grown = 0;
  #overflow: { model: string; tokens: number } | undefined;

  constructor(records: readonly MessageRecord[] = []) {
    for (const record of records) this.add(record);
  }

  get records(): readonly MessageRecord[] {
    return this.#records;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get lastUuid(): string | null {
    return this.#records.at(-1)?.uuid ?? null;
  }

  /** The size that the last answer reported, system prompt and tools included, plus an estimate for later messages. */
  get tokens(): number {
    return this.#measured + this.#estimated;
  }

  /** False when no answer has reported a size yet: `tokens` is then without system prompt and tools. */
  get isMeasured(): boolean {
    return this.#measured > 0;
  }

  /** An estimate of what was added since the last compaction. */
  get grown(): number {
    return this.#grown;
  }

  /** Some servers number the calls of every answer from the start; another provider would refuse the conversation. */
  hasCall(id: string): boolean {
    return this.#callIds.has(id);
  }

  add(record: MessageRecord): void {
    this.#records.push(record);
    if (record.type === 'assistant') for (const { id } of toolUses(record.message)) this.#callIds.add(id);
    this.#measure(record);
    const last = this.#messages.at(-1);
    if (record.type === 'user' && last?.role === 'user')
      this.#messages[this.#messages.length - 1] = join(last, record.message);
    else this.#messages.push(record.message);
  }

  /** Continues with these records instead of all before. A caller that still holds the old messages keeps them. */
  restart(records: readonly MessageRecord[]): void {
    this.#records = [];
    this.#messages = [];
    this.#measured = this.#estimated = this.#grown = 0;
    for (const record of records) this.add(record);
  }

  /** The provider refused a request of this size: the window is smaller than that, whatever is known of the model. */
  noteOverflow(model: string, tokens: number): void {
    this.#overflow = { model, tokens };
  }

  findOverflow(model: string): number | undefined {
    return this.#overflow?.model === model ? this.#overflow.tokens : undefined;
  }

  /** The provider refuses the definition of this tool. */
  leaveOutTool(name: string): void {
    this.#leftOutTools.add(name);
  }

  isLeftOut(tool: string): boolean {
    return this.#leftOutTools.has(tool);
  }

  /** The provider cannot process the images of this message. The records keep them. */
  leaveOutFiles(at: number, note: string): void {
    const message = this.#messages[at];
    if (message?.role === 'user') this.#messages[at] = replaceFiles(message, note);
  }

  #measure(record: MessageRecord): void {
    const estimate = estimateTokens(record.message.content);
    if (!isOpening(record)) this.#grown += estimate;
    const reported = record.type === 'assistant' ? countReported(record.message) : 0;
    if (reported === 0) this.#estimated += estimate;
    else {
      this.#measured = reported;
      this.#estimated = 0;
    }
  }
}

/** Messages that the compaction itself has added. */
function isOpening(record: MessageRecord): boolean {
  return record.copyOf !== undefined || (record.type === 'user' && record.origin.kind === 'compaction');
}

/** Zero when the answer does not say: it was cut off, or its provider does not count input. */
function countReported({ usage, stop_reason }: AssistantMessage): number {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  const sent = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return sent === 0 || stop_reason === 'unknown' ? 0 : sent + output_tokens;
}

function replaceFiles(message: UserMessage, note: string): UserMessage {
  const text = { type: 'text' as const, text: note };
  const content = message.content.map((block) => {
    if (block.type === 'image' || block.type === 'document') return text;
    if (block.type !== 'tool_result') return block;
    return { ...block, content: block.content.map((part) => (part.type === 'image' ? text : part)) };
  });
  return { role: 'user', content };
}

function join(first: UserMessage, second: UserMessage): UserMessage {
  return { role: 'user', content: [...first.content, ...second.content] };
}
