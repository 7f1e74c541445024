import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type {
  DocumentBlock,
  ImageBlock,
  PromptBlock,
  ToolResultBlock,
  UserMessage,
} from '../../protocol/index.ts';

/** Results first: every provider wants them right after the calls. */
export function splitUserBlocks(message: UserMessage): {
  results: ToolResultBlock[];
  others: PromptBlock[];
} {
  return {
    results: message.content.filter((block) => block.type === 'tool_result'),
    others: message.content.filter((block) => block.type !== 'tool_result'),
  };
}

/** Texts, images and documents in order. Blank texts are left out: providers refuse them. */
export function textParts(
  blocks: readonly PromptBlock[],
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  return blocks.flatMap((block): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (block.type !== 'text') return [filePart(block)];
    return block.text.trim() ? [{ type: 'text', text: block.text }] : [];
  });
}

export function filePart({ type, source }: ImageBlock | DocumentBlock): LanguageModelV4FilePart {
  if (source.type === 'base64')
    return { type: 'file', mediaType: source.media_type, data: { type: 'data', data: source.data } };
  const mediaType = type === 'image' ? 'image/*' : 'application/pdf';
  return { type: 'file', mediaType, data: { type: 'url', url: new URL(source.url) } };
}
