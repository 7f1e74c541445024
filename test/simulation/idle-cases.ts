import { manualClock } from '../../src/lib/clock.ts';
import type { MailMessage } from '../../src/protocol/team.ts';
import { becomeIdle, type IdleSeat } from '../../src/team/idle-step.ts';
import { type Mailbox, openMailbox } from '../../src/team/mail/mailbox.ts';
import { openPost } from '../../src/team/mail/post-mail.ts';
import { unclaimedSender } from '../../src/team/mail/senders.ts';
import { locateTeam } from '../../src/team/team-place.ts';
import { createTeam } from '../../src/team/team-record.ts';
import { memoryMachine, value } from '../team/support.ts';
import type { Choose } from './explore.ts';

export interface IdleCase {
  posters: number;
  /** A mistake to be found. */
  plant?(seat: IdleSeat<MailMessage>): IdleSeat<MailMessage>;
}

/**
 * An agent that reads its box and becomes idle, beside processes that post and wake it: every step of each of them may come between
 * any two steps of the others. Returns why the order is wrong.
 */
export async function playIdle({ posters, plant }: IdleCase, choose: Choose): Promise<string | undefined> {
  const agent = new Agent(plant);
  const { post, sender } = agent;
  const steps = Array.from({ length: posters }, (_, index) => [
    () => void value(post.sendNow({ to: 'bob', kind: 'text', text: `${index}` }, sender)),
    () => agent.wake(),
  ]);
  agent.start();
  for (;;) {
    await settleAll();
    const ready = [...steps.filter((own) => own.length > 0), ...(agent.gate ? [agent] : [])];
    if (ready.length === 0) return agent.judge(posters);
    const next = ready[ready.length > 1 ? choose(ready.length) : 0];
    if (next === agent) agent.step();
    else if (Array.isArray(next)) next.shift()?.();
  }
}

/** More promises than any step settles. */
async function settleAll(): Promise<void> {
  for (let tick = 0; tick < 20; tick++) await null;
}

class Agent {
  readonly post;
  readonly sender;
  readonly #box: Mailbox;
  readonly #seat: IdleSeat<MailMessage>;
  readonly #heard: string[] = [];
  #state: 'working' | 'idle' = 'working';
  /** Lets the next step of the agent happen. */
  gate: (() => void) | undefined;

  constructor(plant: IdleCase['plant'] = (seat) => seat) {
    const machine = memoryMachine();
    const clock = manualClock();
    const team = { name: 'web', leaderSession: 's', cwd: '/repo' };
    value(createTeam(team, { home: '/home', machine, clock }));
    const place = locateTeam('/home', 'web');
    const reader = { name: 'bob', incarnation: '1-bob', check: () => true };
    this.#box = value(openMailbox(place, reader, { machine, clock }));
    this.post = value(openPost(place, { machine, clock }));
    this.sender = unclaimedSender('user', clock);
    this.#seat = plant({
      look: async () => {
        await this.#pause();
        return this.#box.look();
      },
      markIdle: async () => {
        await this.#pause();
        this.#state = 'idle';
      },
      markWorking: async () => {
        await this.#pause();
        this.#state = 'working';
      },
    });
  }

  start(): void {
    void this.#run();
  }

  /** Does nothing for an agent that works: it looks before it becomes idle. */
  wake(): void {
    if (this.#state === 'working') return;
    this.#state = 'working';
    // A run that is about to find the mail itself is not started twice.
    if (!this.#isRunning) this.start();
  }

  step(): void {
    const { gate } = this;
    this.gate = undefined;
    gate?.();
  }

  judge(posted: number): string | undefined {
    if (this.#state !== 'idle') return 'it does not come to rest';
    if (this.#box.look().length > 0) return `idle, and mail waits: heard ${this.#heard.join()}`;
    if (this.#heard.length !== posted) return `heard ${this.#heard.join()} of ${posted}`;
    return undefined;
  }

  #isRunning = false;

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      const step = await becomeIdle(this.#seat);
      if (step.state === 'idle' && this.#state === 'idle') break;
      this.#state = 'working';
      if (step.state === 'working') this.#take(step.items);
    }
    this.#isRunning = false;
  }

  #take(items: readonly MailMessage[]): void {
    for (const { id, text } of items) {
      this.#heard.push(text);
      value(this.#box.noteDelivered(id));
    }
  }

  #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = resolve;
    return promise;
  }
}

/** A planted fault: the agent does not look again once it is marked as idle. */
export function lookOnce(seat: IdleSeat<MailMessage>): IdleSeat<MailMessage> {
  let isMarked = false;
  return {
    ...seat,
    look() {
      const skip = isMarked;
      isMarked = false;
      return skip ? [] : seat.look();
    },
    markIdle() {
      isMarked = true;
      return seat.markIdle();
    },
  };
}
