/**
 * Messages between agents and models, in content blocks. Blocks have the shape of the Messages API, which is also that
 * of the headless wire, so that nothing is renamed on its way to a client. They are stored and sent as they are: never
 * re-rendered.
 */

export interface TextBlock {
  type: 'text';
  text: string;
}

export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  /** The provider's signature of its own thinking; must go back unchanged. */
  signature?: string;
}

export interface RedactedThinkingBlock {
  type: 'redacted_thinking';
  data: string;
}

export interface ImageBlock {
  type: 'image';
  source: MediaSource;
}

/** A PDF. Only prompts have one; a provider that cannot read it refuses it. */
export interface DocumentBlock {
  type: 'document';
  source: MediaSource;
  title?: string;
  context?: string;
}

/** The provider fetches what is given by its address. */
export type MediaSource = { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string };

/** What a prompt may hold. */
export type PromptBlock = TextBlock | ImageBlock | DocumentBlock;

export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** Set if the model's input was not a JSON object: its beginning, as written. Such a call is never run. */
  invalidInput?: string;
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: ResultContent[];
  is_error?: boolean;
}

export type ResultContent = TextBlock | ImageBlock;

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = PromptBlock | ToolResultBlock;
export type ContentBlock = AssistantBlock | UserBlock;

/** Tokens of one response. `input_tokens` excludes what the cache read or wrote. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence' | 'refusal' | 'unknown';

export interface UserMessage {
  role: 'user';
  content: UserBlock[];
}

export interface AssistantMessage {
  role: 'assistant';
  /** The provider's id of the response. */
  id: string;
  model: string;
  content: AssistantBlock[];
  stop_reason: StopReason;
  usage: Usage;
}

export type Message = UserMessage | AssistantMessage;

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  };
}

/** All that the model read, whether from the cache or not. */
export function promptTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
}

/** All that a model read and wrote: shown to the user as "tokens". */
export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + usage.output_tokens;
}

export function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

export function toolUses(message: AssistantMessage): ToolUseBlock[] {
  return message.content.filter((block) => block.type === 'tool_use');
}
