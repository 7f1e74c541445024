import type { AgentContext } from '../loop/agent-context.ts';
import type { Account } from '../models/budget/account.ts';
import type { AgentLog } from './agent-log.ts';

/** An agent that is running in this process. */
export interface LiveAgent {
  readonly context: AgentContext;
  readonly account: Account;
  /** Where its letters are recorded until it reads them. The lead has none: no agent writes to it. */
  readonly log?: AgentLog;
  /** The types it may start; undefined is any. */
  readonly spawnable?: readonly string[] | undefined;
  /** Its definition leaves memory files out. */
  readonly omitsMemory?: boolean | undefined;
  /** A coordinator: it has only workers, always in the background (CO2, EX1). */
  readonly coordinates?: boolean;
  /** A member of a team: its own agents run in the foreground. */
  readonly isTeammate?: boolean;
  /** An agent that it started has used this many tokens: they are added to its own. */
  addTokens?(tokens: number): void;
  /** It reads no more letters: a sender waits for its end, and resumes it then. */
  readonly isEnding?: boolean;
}

/**
 * The running agents, and the names that agents were given. Not a registry of tasks, which follow how an agent's run
 * goes. An ended agent is forgotten except for its name.
 */
export class Roster {
  readonly #live = new Map<string | null, LiveAgent>();
  readonly #names = new Map<string, string>();
  #started: number;

  constructor(startedBefore = 0) {
    this.#started = startedBefore;
  }

  /** How many agents were started in this session. */
  get started(): number {
    return this.#started;
  }

  countStart(): void {
    this.#started++;
  }

  enter(agentId: string | null, agent: LiveAgent): void {
    this.#live.set(agentId, agent);
  }

  leave(agentId: string | null): void {
    this.#live.delete(agentId);
  }

  find(agentId: string | null): LiveAgent | undefined {
    return this.#live.get(agentId);
  }

  get size(): number {
    return this.#live.size;
  }

  /** The newest holder of a name has it. */
  name(name: string, agentId: string): void {
    this.#names.set(name, agentId);
  }

  /** An id, or the id behind a name. */
  resolve(address: string): string | undefined {
    return this.#names.get(address) ?? undefined;
  }

  names(): string[] {
    return [...this.#names.keys()];
  }
}
