import type { Clock } from '../../lib/clock.ts';

/** Who posts. The name is the harness's word: nothing that a model or a program writes can set it. */
export interface MailSender {
  readonly name: string;
  readonly incarnation?: string;
  /** Whether it still holds its address. Asked right before a message is put in place. */
  check(): boolean;
  /** Grows with every call, over restarts of the sender too. */
  nextOrder(): number;
}

/** The user, or `program:NAME`. They hold no address, so their order is the time. */
export function unclaimedSender(name: string, clock: Clock): MailSender {
  let last = 0;
  return {
    name,
    check: () => true,
    nextOrder() {
      last = Math.max(last + 1, Math.floor(clock.now() * 1000));
      return last;
    },
  };
}
