import type { Result } from '../lib/result.ts';
import type { Answer, ToolContext, ToolResult } from '../protocol/index.ts';
import type { LiveAgent } from './roster.ts';
import type { AgentRequest } from './spec.ts';

/** The teams of a session, as its agents' tools see them. `agents/` knows this port; teams fill it in. */
export interface Teams {
  /**
   * The place in a team that a call of `Agent` is for. Undefined: it asks for an ordinary agent. A problem: it asks for a
   * team that cannot be had; no other agent is started in its place.
   */
  findSeat(caller: LiveAgent, wish: SeatWish): Result<TeamSeat | undefined>;
  /** Sends mail to members. Undefined if the address is not one of a team that the sender is in. */
  send(sending: Sending): Promise<ToolResult> | undefined;
  /** A member's plan, for its leader's decision. Undefined if its leader does not decide. */
  askPlan(
    agentId: string | null,
    plan: { plan: string; planFilePath: string },
    signal: AbortSignal,
  ): Promise<Answer> | undefined;
  /** The addresses that an agent can write to. */
  listAddresses(agentId: string | null): string[];
}

export interface SeatWish {
  teamName?: string | undefined;
  name?: string | undefined;
  isolation?: string | undefined;
  /** `fork`, or the name of a type. */
  type?: string | undefined;
}

export interface TeamSeat {
  /** Starts the teammate there. It runs until its team is told to end. */
  start(request: AgentRequest, context: Pick<ToolContext, 'signal'>): Promise<ToolResult>;
}

/** A message, as the tool `SendMessage` or the user gave it. */
export interface Sending {
  /** The agent that sends it; null is the lead. */
  agentId: string | null;
  isUser?: true | undefined;
  to: string;
  message: string | ({ type: string } & Record<string, unknown>);
  summary?: string | undefined;
  /** The sender waits for an answer. */
  awaitsAnswer?: boolean | undefined;
  /** The sender wants to hear once when the receiver becomes idle. */
  notifyWhenIdle?: boolean | undefined;
}
