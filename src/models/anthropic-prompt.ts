import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ModelRequest,
  ToolResultBlock,
  ToolSpec,
  UserMessage,
} from '../protocol/index.ts';
import { filePart, type ResultOutput, splitUserBlocks, type ToolResultPart, textParts } from './sdk-parts.ts';

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/**
 * Our messages for the Messages API. A message is converted once and reused as it is, so that its bytes stay
 * the same in every request of a session (P1); only the cache marks move, on copies.
 */
export function anthropicPrompt(request: ModelRequest): LanguageModelV4Prompt {
  const system = request.system.map((content): LanguageModelV4Message => ({ role: 'system', content }));
  return [...markLast(system), ...markLastUsers(request.messages)];
}

export function anthropicTools(tools: readonly ToolSpec[]): LanguageModelV4CallOptions['tools'] {
  return tools.map((tool, index) => ({
    type: 'function',
    ...tool,
    ...(index === tools.length - 1 ? marked : {}),
  }));
}

/**
 * Four marks are allowed: the last tool, the last system part, and the last two user messages. The earlier
 * of these is where the request before this one ended, which is what the provider looks up.
 */
const marked = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } };

function markLast(messages: LanguageModelV4Message[]): LanguageModelV4Message[] {
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, ...marked } : message,
  );
}

function markLastUsers(messages: readonly Message[]): LanguageModelV4Message[] {
  const users = messages.flatMap((message, index) => (message.role === 'user' ? [index] : [])).slice(-2);
  return messages.flatMap((message, index) => {
    const converted = convertMessage(message);
    return users.includes(index) ? markLast(converted) : converted;
  });
}

const conversions = new WeakMap<Message, LanguageModelV4Message[]>();

function convertMessage(message: Message): LanguageModelV4Message[] {
  const known = conversions.get(message);
  if (known) return known;
  const converted = message.role === 'user' ? convertUser(message) : convertAssistant(message);
  conversions.set(message, converted);
  return converted;
}

/** One or two messages, which the library joins into one again: results, then everything else. */
function convertUser(message: UserMessage): LanguageModelV4Message[] {
  const { results, others } = splitUserBlocks(message);
  const converted = results.map(convertResult);
  const strays = converted.flatMap((result) => result.strays);
  const rest = [...strays, ...textParts(others)];
  return [
    ...(results.length > 0
      ? [{ role: 'tool' as const, content: converted.map((result) => result.part) }]
      : []),
    ...(rest.length > 0 ? [{ role: 'user' as const, content: rest }] : []),
  ];
}

/** An error carries text only in the library's terms; its images follow as the user's. */
function convertResult(result: ToolResultBlock): {
  part: ToolResultPart;
  strays: ReturnType<typeof filePart>[];
} {
  const images = result.content.flatMap((block) => (block.type === 'image' ? [filePart(block)] : []));
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const output: ResultOutput = result.is_error
    ? { type: 'error-text', value: text || 'The tool failed without a message.' }
    : images.length > 0
      ? { type: 'content', value: textParts(result.content) }
      : { type: 'text', value: text };
  const part: ToolResultPart = {
    type: 'tool-result',
    toolCallId: result.tool_use_id,
    toolName: 'tool',
    output,
  };
  return { part, strays: result.is_error ? images : [] };
}

function convertAssistant(message: AssistantMessage): LanguageModelV4Message[] {
  const content = message.content.flatMap(convertBlock);
  return content.length > 0 ? [{ role: 'assistant', content }] : [];
}

/** Thinking goes back unchanged with its proof. Without one it is another provider's and would be refused. */
function convertBlock(block: AssistantBlock): AssistantParts {
  switch (block.type) {
    case 'text':
      return block.text.trim() ? [{ type: 'text', text: block.text }] : [];
    case 'thinking': {
      if (!block.signature) return [];
      const providerOptions = { anthropic: { signature: block.signature } };
      return [{ type: 'reasoning', text: block.thinking, providerOptions }];
    }
    case 'redacted_thinking':
      return [{ type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: block.data } } }];
    case 'tool_use':
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }];
  }
}
