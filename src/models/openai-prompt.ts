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
import { filePart, splitUserBlocks, textParts } from './sdk-parts.ts';

type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
type UserParts = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/**
 * Our messages for the Chat Completions API, converted once each (P1). That API has no error flag, no
 * images in tool messages and one system message, so these are said in other ways; see below.
 */
export function openaiPrompt(request: ModelRequest): LanguageModelV4Prompt {
  const system = request.system.join('\n\n');
  return [
    ...(system ? [{ role: 'system' as const, content: system }] : []),
    ...request.messages.flatMap(convertMessage),
  ];
}

export function openaiTools(tools: readonly ToolSpec[]): LanguageModelV4CallOptions['tools'] {
  return tools.map((tool) => ({ type: 'function', ...tool }));
}

const conversions = new WeakMap<Message, LanguageModelV4Message[]>();

function convertMessage(message: Message): LanguageModelV4Message[] {
  const known = conversions.get(message);
  if (known) return known;
  const converted = message.role === 'user' ? convertUser(message) : convertAssistant(message);
  conversions.set(message, converted);
  return converted;
}

function convertUser(message: UserMessage): LanguageModelV4Message[] {
  const { results, others } = splitUserBlocks(message);
  const rest = [...results.flatMap(resultImages), ...textParts(others)];
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results.map(resultPart) }] : []),
    ...(rest.length > 0 ? [{ role: 'user' as const, content: rest }] : []),
  ];
}

function resultPart(result: ToolResultBlock) {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const images = result.content.some((block) => block.type === 'image');
  const said = text || (images ? 'The image follows.' : '');
  const value = result.is_error ? `Error: ${said}` : said;
  return {
    type: 'tool-result' as const,
    toolCallId: result.tool_use_id,
    toolName: 'tool',
    output: { type: 'text' as const, value },
  };
}

/** Images of a result come right behind the tool messages, saying whose they are. */
function resultImages(result: ToolResultBlock): UserParts {
  const images = result.content.flatMap((block) => (block.type === 'image' ? [filePart(block)] : []));
  if (images.length === 0) return [];
  return [{ type: 'text', text: `Image from the tool call ${result.tool_use_id}:` }, ...images];
}

function convertAssistant(message: AssistantMessage): LanguageModelV4Message[] {
  const content = message.content.flatMap(convertBlock);
  return content.length > 0 ? [{ role: 'assistant', content }] : [];
}

/** Signed thinking belongs to another provider; unsigned came from a server of this kind and goes back. */
function convertBlock(block: AssistantBlock): AssistantParts {
  switch (block.type) {
    case 'text':
      return block.text ? [{ type: 'text', text: block.text }] : [];
    case 'thinking':
      return block.signature ? [] : [{ type: 'reasoning', text: block.thinking }];
    case 'redacted_thinking':
      return [];
    case 'tool_use':
      return [{ type: 'tool-call', toolCallId: block.id, toolName: block.name, input: block.input }];
  }
}
