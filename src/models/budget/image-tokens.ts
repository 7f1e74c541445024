import type { ImageSize } from './image-size.ts';

/**
 * The most tokens that an image can count, by the provider's published method. Only its dimensions matter; if they are
 * unknown, the largest accepted ones are assumed.
 */
export function imageTokens(model: string, size: ImageSize | undefined): number {
  const { width, height } = size ?? maxSize;
  if (model.startsWith('anthropic/')) return Math.min(claudePatches(width, height), maxOfClaude);
  if (model.startsWith('google/')) return Math.max(minGeminiTokens, tiles(width, height, 256) * 258);
  if (model.startsWith('openai/gpt-4o-mini')) return maxOfMini;
  return Math.max(minGptTokens, Math.ceil(tiles(width, height, 32) * dearestMultiplier));
}

const maxSize: ImageSize = { width: 8_000, height: 8_000 };

/** Patches of 28 pixels; the older figure, a token for 750 pixels, is never far from it. */
function claudePatches(width: number, height: number): number {
  return Math.max(tiles(width, height, 28), Math.ceil((width * height) / 750));
}

/** Larger images are scaled down to this; models before Opus 4.7 stop at a third of it. */
const maxOfClaude = 4_784;

/** The highest resolution that can be asked for; tiles of 256 pixels are the smallest there are. */
const minGeminiTokens = 2_240;

/** Eight tiles of 512 pixels with their base: the most of the models that count in tiles. */
const minGptTokens = 1_445;

/** The same image in tokens of a model whose images cost what the larger model's do: 2,833 + 8 × 5,667. */
const maxOfMini = 48_169;

/** Patches of 32 pixels count 1.2 to 2.46 tokens, depending on the model. */
const dearestMultiplier = 2.46;

function tiles(width: number, height: number, side: number): number {
  return Math.ceil(width / side) * Math.ceil(height / side);
}
