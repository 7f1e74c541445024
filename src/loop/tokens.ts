import { countDocumentTokens } from '../models/budget/count-input.ts';
import type { ContentBlock } from '../protocol/index.ts';

/** A low guess for code and prose of any script, so that estimates are too high rather than too low. */
export const bytesPerToken = 3;

/** Providers count an image by its area; this is the count of a large one. */
const tokensPerImage = 1_600;

const tokensPerBlock = 4;

/** An estimate of what content takes of a window, until an answer has counted it. */
export function estimateTokens(content: readonly ContentBlock[]): number {
  let tokens = 0;
  for (const block of content) tokens += tokensPerBlock + countBlockTokens(block);
  return tokens;
}

export function countTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function countBlockTokens(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return countTextTokens(block.text);
    case 'thinking':
      return countTextTokens(block.thinking) + countTextTokens(block.signature ?? '');
    case 'redacted_thinking':
      return countTextTokens(block.data);
    case 'image':
      return tokensPerImage;
    case 'document':
      return countDocumentTokens(block);
    case 'tool_use':
      return countTextTokens(block.name) + countTextTokens(JSON.stringify(block.input));
    case 'tool_result':
      return estimateTokens(block.content);
  }
}
