import type { AssistantBlock, AssistantMessage, Message, Usage } from './message.ts';

/** The port to any language model. Providers live in `models/`; the scripted twin in `testing/`. */
export interface Model {
  /** `provider/id`, as reported everywhere. */
  readonly id: string;
  readonly facts: ModelFacts;
  /** Whose limits its requests count against: an address and a key, as a hash. Requests of one id and group are paced together. */
  readonly limitGroup?: string;
  /**
   * One request, one stream. The last event is `response_ended` or `response_failed`: a failed or
   * aborted request is a value. A throw is a bug.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

export interface ModelFacts {
  /** Tokens of context, input and output together. */
  window: number;
  maxOutput: number;
  images: boolean;
  /** The kinds of thinking that can be asked for; none when it does not think. Without `off` it always does. */
  thinking: readonly Thinking['type'][];
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
  /** Tokens that the provider adds to the prompt by itself, at most: a budget must hold them too. Never sent. */
  addedTokens?: number;
  /** On whose behalf: for turns, limits and bills. Never sent. Absent: somebody in the foreground. */
  asker?: Asker;
}

export interface Asker {
  sessionId: string;
  /** Null for the lead. */
  agentId: string | null;
  /** Somebody waits for a foreground answer. */
  priority: 'foreground' | 'background';
}

export type Thinking = { type: 'off' } | { type: 'adaptive' } | { type: 'budget'; tokens: number };

/** What a model is told of a tool. */
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
  /** Nothing of the answer has been seen yet; the same request goes out again after the wait. */
  | { type: 'request_retried'; attempt: number; delayMs: number; failure: ModelFailure; usage?: Usage }
  /** The request is held back before it goes out, and why: somebody's limit, somebody's turn. `isOver`: no longer. */
  | { type: 'request_waited'; reason: string; delayMs: number; isOver?: true }
  /** Another model answers from here on, since the wait for the first would be long. */
  | { type: 'fallback_taken'; from: string; to: string; reason: string }
  /** What the provider said of its limits along with this answer. */
  | { type: 'limits_reported'; limits: ProviderLimits }
  | { type: 'response_started'; id: string; model: string }
  | { type: 'block_started'; index: number; block: AssistantBlock }
  | { type: 'block_delta'; index: number; delta: BlockDelta }
  | { type: 'block_ended'; index: number; block: AssistantBlock }
  | { type: 'response_ended'; message: AssistantMessage }
  /** `usage` is what the provider had counted by then, where it said so. */
  | { type: 'response_failed'; failure: ModelFailure; usage?: Usage };

/** Each window is absent where the provider does not speak of it. */
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
  /** Our own refusal: the reservation does not fit into what is left. Nothing was sent. */
  | 'out_of_budget'
  /** A replayed run asked for something else than the recorded one did. */
  | 'diverged'
  | 'aborted';

export interface ModelFailure {
  kind: ModelFailureKind;
  /** One sentence for a person, with the next step where there is one. */
  message: string;
  status?: number;
  retryAfterMs?: number;
  /** No connection came about: nothing can have been charged. */
  unsent?: true;
}
