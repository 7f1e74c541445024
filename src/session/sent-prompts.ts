import { type Clock, timestamp } from '../lib/clock.ts';
import { ok, type Result } from '../lib/result.ts';
import type { AgentEvent, LetterRecord, MessageRecord, TranscriptRecord } from '../protocol/index.ts';
import type { Inbox, Letter } from '../tasks/inbox.ts';

/** The session that the prompts are for. */
export interface PromptPlace {
  readonly id: string;
  readonly inbox: Inbox;
  readonly opening: readonly MessageRecord[];
  readonly log: { append(record: TranscriptRecord): Result<void> };
  readonly place: { readonly clock: Clock };
}

/**
 * The prompts that were taken, by their uuid: a sender that heard nothing sends a prompt again, and it must be read once. Each is in the
 * transcript before its sender is told that it was taken, as a letter until it is read: a process that is killed loses none. A prompt
 * that could not be recorded is forgotten, so that it can be sent again.
 */
export class SentPrompts {
  /** In the inbox or being read, and not recorded yet. */
  readonly #open = new Set<string>();
  readonly #recorded: Set<string>;
  /** Letters in the transcript that are not over. */
  readonly #stored = new Set<string>();

  /** `waiting`: those of an earlier process. */
  constructor(
    private readonly session: PromptPlace,
    waiting: readonly LetterRecord[],
  ) {
    this.#recorded = new Set(session.opening.flatMap((record) => (isPrompt(record) ? [record.uuid] : [])));
    for (const { messageUuid } of waiting) {
      this.#open.add(messageUuid);
      this.#stored.add(messageUuid);
    }
    for (const record of waiting) session.inbox.postQuietly(readLetter(record));
  }

  isKnown(uuid: string | undefined): boolean {
    return uuid !== undefined && (this.#open.has(uuid) || this.#recorded.has(uuid));
  }

  /** Whether it is kept until it has been read, whatever becomes of this process. */
  isStored(uuid: string): boolean {
    return this.#stored.has(uuid) || this.#recorded.has(uuid);
  }

  /** On a full disk it is taken all the same: its run says that nothing can be recorded. */
  note(uuid: string, letter: Letter): void {
    this.#open.add(uuid);
    if (this.#stored.has(uuid)) return;
    const { id, log, place } = this.session;
    const { content, origin, delivery, isVerbatim, isQuiet } = letter;
    const stored = log.append({
      ...{ type: 'letter', timestamp: timestamp(place.clock), sessionId: id, messageUuid: uuid },
      ...{ content, origin, delivery },
      ...(isVerbatim ? { isVerbatim } : {}),
      ...(isQuiet ? { isQuiet } : {}),
    });
    if (stored.ok) this.#stored.add(uuid);
  }

  /** Withdrawn before they were read. */
  forget(uuids: readonly string[]): void {
    for (const uuid of uuids) this.#open.delete(uuid);
    this.#conclude(uuids);
  }

  /**
   * After a run, each is recorded, waits for the next run, or was dropped. One whose run could not be recorded can be sent again; otherwise
   * the next process reads it.
   */
  follow(event: AgentEvent): void {
    if (event.agentId !== null) return;
    if (event.type === 'message_added' && isPrompt(event.record)) {
      this.#recorded.add(event.record.uuid);
      this.#conclude([event.record.uuid]);
    }
    if (event.type === 'prompt_refused' && event.uuid !== undefined) this.#conclude([event.uuid]);
    if (event.type !== 'run_ended') return;
    const waiting = new Set(this.session.inbox.waitingPrompts());
    for (const uuid of this.#open) if (!waiting.has(uuid)) this.#open.delete(uuid);
  }

  /** A reader of the end of a long transcript does not see the message. Unwritten, it is read a second time in the worst case. */
  #conclude(uuids: readonly string[]): Result<void> {
    const over = uuids.filter((uuid) => this.#stored.delete(uuid));
    if (over.length === 0) return ok(undefined);
    const { log, place } = this.session;
    return log.append({ type: 'letter-over', timestamp: timestamp(place.clock), messageUuids: over });
  }
}

/** Each begins a run of its own, as it would have. */
function readLetter({ messageUuid, content, origin, isVerbatim, isQuiet }: LetterRecord): Letter {
  return {
    ...{ delivery: 'queue', content, origin, uuid: messageUuid },
    ...(isVerbatim ? { isVerbatim } : {}),
    ...(isQuiet ? { isQuiet } : {}),
  };
}

function isPrompt(record: MessageRecord): boolean {
  return record.type === 'user' && record.origin.kind === 'human';
}
