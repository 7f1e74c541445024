import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider';
import type { ImageBlock, TextBlock, ToolResultBlock, UserMessage } from '../../protocol/index.ts';

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;

export type ToolResultPart = Extract<ToolMessage['content'][number], { type: 'tool-result' }>;

/** Results first: every provider wants them right after the calls. */
export function splitUserBlocks(message: UserMessage): {
  results: ToolResultBlock[];
  others: (TextBlock | ImageBlock)[];
} {
  return {
    results: message.content.filter((block) => block.type === 'tool_result'),
    others: message.content.filter((block) => block.type !== 'tool_result'),
  };
}

/** Texts and images in order. Blank texts are left out: providers refuse them. */
export function textParts(
  blocks: readonly (TextBlock | ImageBlock)[],
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  return blocks.flatMap((block): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (block.type === 'image') return [filePart(block)];
    return block.text.trim() ? [{ type: 'text', text: block.text }] : [];
  });
}

export function filePart({ source }: ImageBlock): LanguageModelV4FilePart {
  return { type: 'file', mediaType: source.media_type, data: { type: 'data', data: source.data } };
}
