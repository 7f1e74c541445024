import type { Clock } from '../../lib/clock.ts';
import type { Result } from '../../lib/result.ts';
import type { MailMessage, MemberState, Outcome } from '../../protocol/index.ts';
import type { MailDraft } from '../mail/post-mail.ts';
import type { MemberParts } from './member.ts';
import type { ShutdownEnd } from './shutdown.ts';

/** How a member's run came to its end: also stopped by the user or an agent, by the end of its session, or by a failure. */
export type MemberEnd = ShutdownEnd | { how: 'cut off'; outcome: Outcome | undefined };

export interface TeammateParts extends Omit<MemberParts, 'control'> {
  readonly team: string;
  readonly colour: string;
  readonly clock: Clock;
  readonly shutdownSeconds: number;
  post(draft: MailDraft): Promise<Result<MailMessage>>;
  /** The incarnation of the leader, for control mail; undefined while no process leads the team. */
  findLeader(): string | undefined;
  /** Its state has changed. */
  changed(state: MemberState, reason: string | undefined, more?: { lastReport?: string }): void;
  /** Board items that it has claimed and not completed. */
  listItems(): string[];
  /** Marks what looks like instructions in its report. */
  checkReport(text: string): string;
  /** The leader would wait for something that did not reach it. */
  tellLeader(text: string): void;
  ended(end: MemberEnd): void;
}
