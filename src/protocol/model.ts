import type { EffortLevel } from './effort.ts';
import type { AssistantBlock, AssistantMessage, Message, Usage } from './message.ts';

/** The port to any language model. Providers live in `models/`; the scripted twin in `testing/`. */
export interface Model {
  /** `provider/id`, as reported everywhere. */
  readonly id: string;
  readonly facts: ModelFacts;
  /**
   * The group that shares its limits: an address and a key, as a hash. Requests of one id and group are paced together.
   */
  readonly limitGroup?: string;
  /**
   * One request, one stream. The last event is `response_ended` or `response_failed`: a failed or aborted request is a
   * value. A throw is a bug.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelFacts {
  /** Tokens of context, input and output together. */
  window: number;
  maxOutput: number;
  images: boolean;
  /** The supported kinds of thinking; empty if it does not think. Without `off` it always thinks. */
  thinking: readonly Thinking['type'][];
  /** The levels of effort that a request may name, lowest first; absent if it takes none. */
  efforts?: readonly EffortLevel[];
  /** False when the facts are a guess for an unknown id. */
  known: boolean;
}

export interface ModelRequest {
  /** Rendered once per session; every byte stays as it is. */
  system: readonly string[];
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  maxOutputTokens: number;
  thinking: Thinking;
  /** As asked for; a model without this level gets the next lower one. If absent, the model's own default. */
  effort?: EffortLevel | undefined;
  /** The most tokens that the provider adds to the prompt itself: a budget must cover them too. Never sent. */
  addedTokens?: number;
  /** Who the request is for: for turns, limits and bills. Never sent. If absent, a foreground caller. */
  asker?: Asker;
}

export interface Asker {
  sessionId: string;
  /** Null for the lead. */
  agentId: string | null;
  /** A caller waits for the answer in the foreground. */
  priority: 'foreground' | 'background';
}

export type Thinking = { type: 'off' } | { type: 'adaptive' } | { type: 'budget'; tokens: number };

/** The model's description of a tool. */
export interface ToolSpec {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export type BlockDelta =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'signature'; signature: string }
  | { type: 'tool_input'; json: string };

export type ModelEvent =
  /** The request failed, and is sent again after the wait unless this is the last attempt. Whatever was seen of its answer is dropped. */
  | {
      type: 'request_retried';
      attempt: number;
      delayMs: number;
      failure: ModelFailure;
      usage?: Usage;
      /** That wait is too long: the run ends, or another model answers. */
      isLast?: true;
    }
  /** The request is held back before it is sent, and why: a limit, or other requests first. `isOver`: no longer. `suspended`: for longer than pacing does, until a limit resets. */
  | { type: 'request_waited'; reason: string; delayMs: number; isOver?: true; suspended?: Suspension }
  /** Another model answers from here on, since the wait for the first would be long. */
  | { type: 'fallback_taken'; from: string; to: string; reason: string }
  /** The provider's limits, as reported with this answer. */
  | { type: 'limits_reported'; limits: ProviderLimits }
  | { type: 'response_started'; id: string; model: string }
  | { type: 'block_started'; index: number; block: AssistantBlock }
  | { type: 'block_delta'; index: number; delta: BlockDelta }
  | { type: 'block_ended'; index: number; block: AssistantBlock }
  | { type: 'response_ended'; message: AssistantMessage }
  /** `usage` is what the provider had counted by then, if it reported it. */
  | { type: 'response_failed'; failure: ModelFailure; usage?: Usage };

/** Why a running agent sends nothing for long, and until when: a limit of its model's provider with a known reset. */
export interface Suspension {
  /** `provider/id`. */
  model: string;
  /** The provider's words, or ours, as a sentence. */
  reason: string;
  /** Wall clock, milliseconds since 1970. */
  until: number;
}

/** Each window is absent if the provider does not report it. */
export interface ProviderLimits {
  requests?: LimitWindow;
  tokens?: LimitWindow;
  inputTokens?: LimitWindow;
  outputTokens?: LimitWindow;
}

export interface LimitWindow {
  limit?: number;
  remaining: number;
  /** Wall clock, milliseconds since 1970: when it is full again. */
  resetsAt: number;
}

export type ModelFailureKind =
  | 'authentication'
  | 'billing'
  | 'rate_limited'
  | 'overloaded'
  | 'invalid_request'
  | 'context_overflow'
  | 'model_not_found'
  | 'network'
  | 'server'
  | 'malformed'
  /** Our own refusal: the reservation exceeds what is left. Nothing was sent. */
  | 'out_of_budget'
  /** A replayed run made another request than the recorded one. */
  | 'diverged'
  | 'aborted';

export interface ModelFailure {
  kind: ModelFailureKind;
  /** One sentence for a person, with the next step if there is one. */
  message: string;
  status?: number;
  retryAfterMs?: number;
  /** The wait for a limit was too long. Wall clock, milliseconds since 1970: when requests are accepted again. */
  resetsAt?: number;
  /** No connection was made: nothing can have been charged. */
  unsent?: true;
  /** The connection ended before any answer began: nothing is charged for that. */
  unanswered?: true;
}
