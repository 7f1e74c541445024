import type { Clock } from '../lib/clock.ts';
import type { Machine } from '../lib/machine.ts';
import { ok, type Result } from '../lib/result.ts';
import type { MailMessage, MailState, MemberRecord, TeamRecord } from '../protocol/team.ts';
import type { MemberClaim } from './held-member.ts';
import { listMail } from './mail/list-mail.ts';
import { type Mailbox, type MailReader, openMailbox } from './mail/mailbox.ts';
import { type MailDraft, openPost, type Post } from './mail/post-mail.ts';
import type { MailSender } from './mail/senders.ts';
import type { Member } from './member/member.ts';
import { type Members, openMembers } from './members.ts';
import type { TeamPlace } from './team-place.ts';

/** A member that this process is. */
export interface LocalMember {
  readonly claim: MemberClaim;
  readonly member: Member;
  /** The agent; null is the session's lead. */
  readonly agentId: string | null;
}

export interface OfficeParts {
  place: TeamPlace;
  record: TeamRecord;
  machine: Machine;
  clock: Clock;
  /** As `openMembers` has it. */
  mayAct?: () => boolean;
  /** Mail of members of this process was written, delivered or read. */
  moved(mail: MailMessage, state: MailState): void;
  warn(text: string): void;
}

/**
 * A team, as one process takes part in it: where its members' mail goes out and comes in. Mail between two members of this process
 * goes through the same files, but its reader need not wait for the system to notice them.
 */
export class TeamOffice {
  readonly members: Members;
  readonly #local = new Map<string, LocalMember>();

  private constructor(
    private readonly parts: OfficeParts,
    private readonly post: Post,
  ) {
    this.members = openMembers(parts.place, parts.machine, parts.clock, parts.mayAct);
  }

  static open(parts: OfficeParts): Result<TeamOffice> {
    const post = openPost(parts.place, parts);
    return post.ok ? ok(new TeamOffice(parts, post.value)) : post;
  }

  get name(): string {
    return this.parts.place.name;
  }

  get place(): TeamPlace {
    return this.parts.place;
  }

  get record(): TeamRecord {
    return this.parts.record;
  }

  openBox(reader: MailReader): Result<Mailbox> {
    const { place, machine, clock, warn } = this.parts;
    return openMailbox(place, reader, {
      ...{ machine, clock },
      tell: (news) => {
        if (news.kind === 'void') this.parts.moved(news.message, 'void');
        else
          warn(
            `Mail for ${reader.name}@${place.name} is not valid: ${news.reason}. It is kept in ${news.path}.`,
          );
      },
    });
  }

  /** All that is kept of the mail to a member, read or not. */
  listMailTo(name: string): MailMessage[] {
    const { place, machine } = this.parts;
    const mail = listMail(place, machine, name);
    return mail.ok ? mail.value.map(({ message }) => message) : [];
  }

  enter(local: LocalMember): void {
    this.#local.set(local.claim.name, local);
  }

  /** Unless a later incarnation is here already. */
  leave({ claim }: LocalMember): void {
    if (this.#local.get(claim.name)?.claim === claim) this.#local.delete(claim.name);
  }

  find(name: string): LocalMember | undefined {
    return this.#local.get(name);
  }

  findByAgent(agentId: string | null): LocalMember | undefined {
    return this.list().find((local) => local.agentId === agentId);
  }

  /** All members. Those of this process need not be read. */
  listMembers(): MemberRecord[] {
    const held = new Map(this.list().map(({ claim }) => [claim.name, claim.record]));
    return this.members.list(held);
  }

  list(): LocalMember[] {
    return [...this.#local.values()];
  }

  /** Puts a message into a box. When it resolves, a reader in this process has it. */
  async send(from: LocalMember, draft: MailDraft): Promise<Result<MailMessage>> {
    return this.#send(from.claim, draft, from.member);
  }

  /** For those who hold no address: the user. */
  async sendAs(sender: MailSender, draft: MailDraft): Promise<Result<MailMessage>> {
    return this.#send(sender, draft);
  }

  async #send(sender: MailSender, draft: MailDraft, from?: Member): Promise<Result<MailMessage>> {
    // Its reader may have answered by the time that the post says it was sent.
    const posted = await this.post.send(draft, sender, (mail) => {
      from?.noteSent(mail);
      this.parts.moved(mail, 'written');
    });
    if (posted.ok) this.#local.get(posted.value.to)?.member.deliver();
    return posted;
  }

  noteMoved(mail: MailMessage, state: MailState): void {
    this.parts.moved(mail, state);
  }
}
