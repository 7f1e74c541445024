import type { AssistantBlock, AssistantMessage, Message } from './message.ts';

/** The port to any language model. Providers live in `models/`; the scripted twin in `testing/`. */
export interface Model {
  /** `provider/id`, as reported everywhere. */
  readonly id: string;
  readonly facts: ModelFacts;
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
  /** Rendered once per session; every byte stays as it is (P1). */
  system: readonly string[];
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  maxOutputTokens: number;
  thinking: Thinking;
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
  | { type: 'request_retried'; attempt: number; delayMs: number; failure: ModelFailure }
  | { type: 'response_started'; id: string; model: string }
  | { type: 'block_started'; index: number; block: AssistantBlock }
  | { type: 'block_delta'; index: number; delta: BlockDelta }
  | { type: 'block_ended'; index: number; block: AssistantBlock }
  | { type: 'response_ended'; message: AssistantMessage }
  | { type: 'response_failed'; failure: ModelFailure };

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
  | 'aborted';

export interface ModelFailure {
  kind: ModelFailureKind;
  /** One sentence for a person, with the next step where there is one. */
  message: string;
  status?: number;
  retryAfterMs?: number;
}
