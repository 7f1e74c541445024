import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ModelRequest,
  ToolResultBlock,
  ToolSpec,
  UserMessage,
} from '../../protocol/index.ts';
import { toolUses } from '../../protocol/index.ts';
import { toPlainWord } from '../tool-input.ts';
import { filePart, splitUserBlocks, textParts } from './parts.ts';
import { readProof } from './proof.ts';

export type AssistantParts = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];
type UserParts = Extract<LanguageModelV4Message, { role: 'user' }>['content'];

/** The differences between the wires that the library speaks for us. */
export interface PromptStyle {
  /** The provider whose proofs go back; another provider's thinking is left out. */
  provider: string;
  /** Whether thinking without a proof goes back too. */
  keepsBareThinking: boolean;
  /** Whether ids of calls must be plain; elsewhere they go back as the model wrote them, which some models rely on. */
  hasPlainIds?: boolean;
  /** The final adjustment of one answer. */
  settle?(parts: AssistantParts): AssistantParts;
}

/**
 * Our messages in the library's form, each converted once. No wire has everything we have: an error flag, images in
 * results, several system parts. So these are expressed in the one way that all understand; see below.
 */
export function promptWriter(style: PromptStyle): (request: ModelRequest) => LanguageModelV4Prompt {
  const conversions = new WeakMap<Message, LanguageModelV4Message[]>();
  const convert = (message: Message, index: number, messages: readonly Message[]) => {
    const known = conversions.get(message);
    if (known) return known;
    const converted =
      message.role === 'user'
        ? convertUser(message, messages[index - 1], style)
        : convertAssistant(message, style);
    conversions.set(message, converted);
    return converted;
  };
  return (request) => {
    const system = request.system.join('\n\n');
    return [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      ...request.messages.flatMap(convert),
    ];
  };
}

export function functionTools(tools: readonly ToolSpec[]): LanguageModelV4CallOptions['tools'] {
  return tools.map((tool) => ({ type: 'function', ...tool }));
}

function convertUser(
  message: UserMessage,
  before: Message | undefined,
  style: PromptStyle,
): LanguageModelV4Message[] {
  const { results, others } = splitUserBlocks(message);
  const rest = [...results.flatMap(resultImages), ...textParts(others)];
  const calls = before?.role === 'assistant' ? toolUses(before) : [];
  const findCallName = ({ tool_use_id }: ToolResultBlock) =>
    calls.find((call) => call.id === tool_use_id)?.name ?? 'tool';
  return [
    ...(results.length > 0
      ? [
          {
            role: 'tool' as const,
            content: results.map((result) => resultPart(result, findCallName(result), style)),
          },
        ]
      : []),
    ...(rest.length > 0 ? [{ role: 'user' as const, content: rest }] : []),
  ];
}

function resultPart(result: ToolResultBlock, toolName: string, style: PromptStyle) {
  const text = result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const images = result.content.some((block) => block.type === 'image');
  const said = text || (images ? 'The image follows.' : '');
  const value = result.is_error ? `Error: ${said}` : said;
  return {
    type: 'tool-result' as const,
    toolCallId: writeId(result.tool_use_id, style),
    toolName: toPlainWord(toolName),
    output: { type: 'text' as const, value },
  };
}

function writeId(id: string, { hasPlainIds }: PromptStyle): string {
  return hasPlainIds ? toPlainWord(id) : id;
}

/** Images of a result come right after the results, naming their call. */
function resultImages(result: ToolResultBlock): UserParts {
  const images = result.content.flatMap((block) => (block.type === 'image' ? [filePart(block)] : []));
  if (images.length === 0) return [];
  return [{ type: 'text', text: `Image from the tool call ${result.tool_use_id}:` }, ...images];
}

function convertAssistant(message: AssistantMessage, style: PromptStyle): LanguageModelV4Message[] {
  const answer = new AnswerParts(style);
  for (const block of message.content) answer.add(block);
  const content = style.settle?.(answer.parts) ?? answer.parts;
  return content.length > 0 ? [{ role: 'assistant', content }] : [];
}

/** Blocks become parts, and proofs go where they belong. */
class AnswerParts {
  readonly parts: AssistantParts = [];
  #ofNextCall: { providerOptions?: SharedV4ProviderOptions } = {};

  constructor(private readonly style: PromptStyle) {}

  add(block: AssistantBlock): void {
    if (block.type === 'text' && block.text) this.parts.push({ type: 'text', text: block.text });
    if (block.type === 'thinking') this.#addThinking(block.thinking, block.signature);
    if (block.type !== 'tool_use') return;
    const call = { toolCallId: writeId(block.id, this.style), toolName: toPlainWord(block.name) };
    this.parts.push({ type: 'tool-call', ...call, input: block.input, ...this.#ofNextCall });
    this.#ofNextCall = {};
  }

  #addThinking(text: string, signature: string | undefined): void {
    if (!signature) {
      if (this.style.keepsBareThinking) this.parts.push({ type: 'reasoning', text });
      return;
    }
    const proof = readProof(signature, this.style.provider);
    if (!proof) return;
    const { options: providerOptions, place } = proof;
    if (place === 'call') this.#ofNextCall = { providerOptions };
    else if (place === 'thinking') this.parts.push({ type: 'reasoning', text, providerOptions });
    else this.#sign(providerOptions);
  }

  #sign(providerOptions: SharedV4ProviderOptions): void {
    const last = this.parts.at(-1);
    if (last?.type === 'text') last.providerOptions = providerOptions;
    else this.parts.push({ type: 'text', text: '', providerOptions });
  }
}
