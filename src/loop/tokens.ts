import type { ContentBlock } from '../protocol/index.ts';

/** A low guess for code and prose of any script, so that what is estimated is rather too much than too little. */
export const bytesPerToken = 3;

/** Providers count an image by its area; this is what a large one comes to. */
const tokensPerImage = 1_600;

const tokensPerBlock = 4;

/** What content takes of a window, for as long as no answer has counted it. */
export function estimateTokens(content: readonly ContentBlock[]): number {
  let tokens = 0;
  for (const block of content) tokens += tokensPerBlock + tokensOfBlock(block);
  return tokens;
}

export function tokensOfText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function tokensOfBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return tokensOfText(block.text);
    case 'thinking':
      return tokensOfText(block.thinking) + tokensOfText(block.signature ?? '');
    case 'redacted_thinking':
      return tokensOfText(block.data);
    case 'image':
      return tokensPerImage;
    case 'tool_use':
      return tokensOfText(block.name) + tokensOfText(JSON.stringify(block.input));
    case 'tool_result':
      return estimateTokens(block.content);
  }
}
