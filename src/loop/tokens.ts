import type { ContentBlock } from '../protocol/index.ts';

/** A low guess for code and prose of any script, so that what is estimated is rather too much than too little. */
export const bytesPerToken = 3;

/** Providers count an image by its area; this is what a large one comes to. */
const tokensPerImage = 1_600;

const tokensPerBlock = 4;

/** What content takes of a window, for as long as no answer has counted it. */
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
    case 'tool_use':
      return countTextTokens(block.name) + countTextTokens(JSON.stringify(block.input));
    case 'tool_result':
      return estimateTokens(block.content);
  }
}
