import { ok, type Result } from '../../lib/result.ts';
import { type AgentEvent, leaderName, type MailMessage, type MailState } from '../../protocol/index.ts';
import type { Inbox, Letter } from '../../tasks/inbox.ts';
import type { Mailbox } from '../mail/mailbox.ts';
import type { MailDraft } from '../mail/post-mail.ts';
import { composeLetter } from './letters.ts';

/** Where a member's letters go. */
export interface MailDesk {
  readonly inbox: Inbox;
  /** Whether the conversation has a message with this uuid. */
  knows(uuid: string): boolean;
  /** Makes a letter survive a crash. Absent: it stays in the box until it is in the conversation. */
  keep?(letter: Letter): Result<void>;
  /** A member of this session has given it work. */
  told?(agentId: string | null): void;
}

export interface MemberParts {
  readonly name: string;
  readonly incarnation: string;
  readonly box: Mailbox;
  /** Mail that the harness acts on. True: no model reads it. */
  control(mail: MailMessage): boolean;
  /** The agent of this session that a member is; undefined for others. */
  findAgent(name: string): { agentId: string | null } | undefined;
  moved(mail: MailMessage, state: MailState): void;
  warn(text: string): void;
}

/**
 * One member of a team, as far as mail goes: brings what is in its box into the inbox of the agent that it is, and notes what
 * became of it. The same for a leader, an agent of the leader's session, and the lead of a session in a pane.
 */
export class Member {
  #desk: MailDesk | undefined;
  #stop: (() => void) | undefined;
  /** Delivered and not read yet, by id. */
  readonly #delivered = new Map<string, MailMessage>();
  /** In the conversation, but no answer has come yet. */
  readonly #carried = new Set<string>();
  #tellers = new Set<string | null>();
  /** Mail that waits for an answer of this member. */
  readonly #owed = new Map<string, MailMessage>();
  /** Mail of those that asked to hear when this member is idle, by their names. */
  #idleAskers = new Map<string, string>();
  /** Members that this one has asked, and that have not answered. */
  readonly #asked = new Map<string, { id: string; since: string; about: string }>();

  constructor(private readonly parts: MemberParts) {}

  get name(): string {
    return this.parts.name;
  }

  /** Delivers from here on, also what is in the box already. */
  attach(desk: MailDesk): void {
    this.detach();
    this.#desk = desk;
    for (const mail of this.parts.box.listDelivered()) this.#recall(mail, desk);
    this.#stop = this.parts.box.onMail(() => this.deliver());
    this.deliver();
  }

  detach(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#desk = undefined;
  }

  /** Looks into the box, and delivers what is new. */
  deliver(): void {
    if (!this.#desk) return;
    for (const mail of this.parts.box.look()) this.#take(mail, this.#desk);
  }

  /** Delivered in an earlier process, and not answered there: the next request carries it. */
  #recall(mail: MailMessage, desk: MailDesk): void {
    if (mail.awaitsAnswer) this.#owed.set(mail.id, mail);
    this.#delivered.set(mail.id, mail);
    if (desk.knows(mail.id)) this.#carried.add(mail.id);
    else desk.inbox.post(this.#compose(mail));
  }

  #take(mail: MailMessage, desk: MailDesk): void {
    const { box, control, moved, warn } = this.parts;
    if (this.#delivered.has(mail.id)) return;
    if (mail.body?.notifyWhenIdle === true) this.#idleAskers.set(mail.from, mail.id);
    if (control(mail) || desk.knows(mail.id)) {
      // The answer to a request, which no model reads.
      if (mail.inReplyTo !== undefined && this.#asked.get(mail.from)?.id === mail.inReplyTo)
        this.#asked.delete(mail.from);
      this.#finish(mail);
      return;
    }
    const letter = this.#compose(mail);
    const kept = desk.keep?.(letter) ?? ok(undefined);
    // It stays in the box, and is tried again at the next look.
    if (!kept.ok) {
      warn(`Mail for ${this.name} was not delivered: ${kept.problem.message}`);
      return;
    }
    this.#delivered.set(mail.id, mail);
    // No request is made for an idle notice, so it does not wait in `new/` for one.
    if (desk.keep || mail.kind === 'idle') {
      box.noteDelivered(mail.id);
      moved(mail, 'delivered');
    }
    this.#noteTeller(mail, desk);
    desk.inbox.post(letter);
  }

  #finish(mail: MailMessage): void {
    this.parts.box.noteDelivered(mail.id);
    this.parts.box.noteRead(mail.id);
    this.parts.moved(mail, 'read');
  }

  /** An answer that was asked for is never just an acknowledgement. */
  #compose(mail: MailMessage): Letter {
    const { isQuiet, ...letter } = composeLetter(mail);
    // A question in return is no answer: two that ask each other wait for each other.
    const isAnswer = this.#asked.has(mail.from) && mail.kind !== 'idle' && !mail.awaitsAnswer;
    if (isAnswer) this.#asked.delete(mail.from);
    if (mail.awaitsAnswer) this.#owed.set(mail.id, mail);
    return isQuiet && !isAnswer ? { ...letter, isQuiet } : letter;
  }

  #noteTeller({ from }: MailMessage, desk: MailDesk): void {
    const agent = this.parts.findAgent(from);
    if (!agent) return;
    this.#tellers.add(agent.agentId);
    desk.told?.(agent.agentId);
  }

  /** The agents of this session that gave it work since it was last asked. */
  takeTellers(): (string | null)[] {
    const tellers = [...this.#tellers];
    this.#tellers = new Set();
    return tellers;
  }

  /** Follows its own conversation: mail is read when a request that carried it was answered. */
  note(event: AgentEvent): void {
    if (event.type !== 'message_added') return;
    const { record } = event;
    if (record.type === 'assistant') this.#noteAnswered();
    const mail = this.#delivered.get(record.uuid);
    if (!mail) return;
    this.#carried.add(record.uuid);
    if (this.#desk?.keep || mail.kind === 'idle') return;
    this.parts.box.noteDelivered(mail.id);
    this.parts.moved(mail, 'delivered');
  }

  #noteAnswered(): void {
    for (const id of this.#carried) {
      const mail = this.#delivered.get(id);
      this.parts.box.noteRead(id);
      if (mail) this.parts.moved(mail, 'read');
      this.#delivered.delete(id);
    }
    this.#carried.clear();
  }

  /** This member has sent something. */
  noteSent(mail: MailMessage): void {
    // What it had asked is withdrawn.
    if (this.#asked.get(mail.to)?.id === mail.inReplyTo) this.#asked.delete(mail.to);
    if (!mail.awaitsAnswer && mail.kind !== 'idle')
      for (const [id, { from }] of this.#owed) if (from === mail.to) this.#owed.delete(id);
    if (mail.awaitsAnswer)
      this.#asked.set(mail.to, { id: mail.id, since: mail.sentAt, about: mail.summary ?? mail.text });
  }

  /** Members that wait for its answer. */
  listOwed(): MailMessage[] {
    return [...this.#owed.values()];
  }

  /** Who hears that it is idle now: its leader, and those that asked. For them it is an answer, which wakes them. */
  takeIdleReaders(): Pick<MailDraft, 'to' | 'inReplyTo'>[] {
    const asked = [...this.#idleAskers].map(([to, inReplyTo]) => ({ to, inReplyTo }));
    const isLeaderAsking = this.#idleAskers.has(leaderName);
    this.#idleAskers = new Map();
    return isLeaderAsking ? asked : [{ to: leaderName }, ...asked];
  }

  /** Whose answers it waits for. */
  listAsked(): { to: string; since: string; about: string }[] {
    return [...this.#asked].map(([to, { since, about }]) => ({ to, since, about }));
  }

  /** Mail that no model has read yet. Idle notices are none that anybody waits for. */
  countUnread(): number {
    return this.#delivered.values().reduce((count, { kind }) => count + (kind === 'idle' ? 0 : 1), 0);
  }

  /** Idle notices are of no use any more. */
  dropIdle(): void {
    for (const mail of this.#delivered.values()) if (mail.kind === 'idle') this.#carried.add(mail.id);
    for (const id of this.#carried) if (this.#delivered.get(id)?.kind !== 'idle') this.#carried.delete(id);
    this.#noteAnswered();
  }
}
