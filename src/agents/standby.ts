import type { Result } from '../lib/result.ts';
import type { AgentEvent, Outcome } from '../protocol/index.ts';
import type { Inbox, Letter } from '../tasks/inbox.ts';

/**
 * What an agent does that has nothing left to do and does not end: it waits until there is more. A teammate is an agent
 * with a standby; in everything else it is like any other agent. The room of agents knows no teams: they fill this in.
 */
export interface Standby {
  /** How users and other members know it: `name@team`, and its colour. */
  readonly address: string;
  readonly colour: string;
  /** It is about to start. Its letters can be delivered from here on. */
  attach(desk: StandbyDesk): void;
  /** Every event of its run, before others see it. */
  note(event: AgentEvent): void;
  /** It has nothing left to do. What it reports has arrived when this resolves. */
  report(outcome: Outcome): Promise<void>;
  /** It is idle. Resolves when there is more, or when it is over. The look for letters is part of the step to idle. */
  rest(pass: EndedPass): Promise<Waking>;
  /** Its run is over, however it ended. Called once for each `attach`. */
  leave(end: Outcome | undefined): void;
}

/** The side of the agent that its standby needs. */
export interface StandbyDesk {
  readonly inbox: Inbox;
  readonly agentId: string;
  /** Whether a message with this uuid is in its conversation, or waits in its inbox. */
  knows(uuid: string): boolean;
  /** Records a letter in the agent's transcript, so that it survives a crash. */
  keep(letter: Letter): Result<void>;
  /** An agent of this session has given it work: files that the other wrote are handed over. */
  told(by: string | null): void;
  /** Whether it waits for an answer of the user. */
  isAsking(): boolean;
  /** Whether it waits for a slot to run in. */
  isQueued(): boolean;
  /** Descriptions of its own background work that still runs. */
  background(): string[];
  /** Ends it now. */
  stop(reason: string): void;
}

/** One stretch of work, from waking to having nothing left to do. */
export interface EndedPass {
  /** Undefined if it has not worked since it was started again. */
  outcome: Outcome | undefined;
  signal: AbortSignal;
  /** Called when it is idle and has said so: from then on nothing waits for it. */
  noteIdle(): void;
}

export type Waking =
  | { next: 'over' }
  /** With the agents of this session that gave it work. */
  | { next: 'wake'; tellers: readonly (string | null)[] };
