import type { MemberRecord } from '../../protocol/index.ts';
import { closedReason } from './watch-members.ts';

/** Members in other processes that are gone: whoever notices it first tells the leader, and nobody a second time. */
export class Losses {
  /** Incarnations that were told. */
  readonly #told = new Set<string>();

  constructor(private readonly tellLeader: (text: string) => void) {}

  /** Its pane is gone: `reason` says how, where its process did not just die. */
  noteLost(member: MemberRecord, reason: string): void {
    const { name, state } = member;
    const what = `The teammate ${name} is not running: ${reason}.`;
    if (state === 'dead') this.noteDead(member);
    else this.#tell(member, `${what} ${this.#sayNext(member)}`);
  }

  noteDead(member: MemberRecord): void {
    const { name } = member;
    const what = `The teammate ${name} has died: its process is gone, and what it was doing is cut off.`;
    this.#tell(member, `${what} SendMessage to ${name} resumes it.`);
  }

  /** What the user closed, only the user resumes. */
  #sayNext({ name, reason }: MemberRecord): string {
    return reason === closedReason
      ? 'Start it again if its work is still needed.'
      : `SendMessage to ${name} resumes it.`;
  }

  #tell({ name, incarnation }: Pick<MemberRecord, 'name' | 'incarnation'>, text: string): void {
    const key = `${name} ${incarnation}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.tellLeader(text);
  }
}
