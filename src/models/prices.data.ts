/**
 * What providers charge, in US dollars per million tokens, as their public price lists said (Anthropic's on 2026-10-10,
 * OpenAI's and Google's on 2026-09-18): list prices of the standard tier, without batch, flex, priority, regional or
 * fast-mode rates. Each row: the beginning of `provider/id`, input, output, cache read, cache write (five minutes, one
 * hour), and what a longer prompt costs where that differs. A missing figure is the input price.
 */

export type PriceFigures = readonly [
  input: number,
  output: number,
  cacheRead?: number,
  cacheWrite?: number,
  cacheWriteHour?: number,
];

export type PriceRow = readonly [
  beginning: string,
  figures: PriceFigures,
  long?: { above: number; figures: PriceFigures },
];

const opus: PriceFigures = [5, 25, 0.5, 6.25, 10];
const oldOpus: PriceFigures = [15, 75, 1.5, 18.75, 30];
const sonnet: PriceFigures = [3, 15, 0.3, 3.75, 6];
const longSonnet = { above: 200_000, figures: [6, 22.5, 0.6, 7.5, 12] } as const;
const fable: PriceFigures = [10, 50, 1, 12.5, 20];
const newFable: PriceFigures = [10, 50, 0.25, 12.5, 20];

const anthropic: readonly PriceRow[] = [
  ['anthropic/claude-fable-5-1', newFable],
  ['anthropic/claude-mythos-5-1', newFable],
  ['anthropic/claude-fable-5', fable],
  ['anthropic/claude-mythos-5', fable],
  ['anthropic/claude-opus-5-5', [4, 20, 0.2, 5, 8]],
  ['anthropic/claude-opus-5', opus],
  ['anthropic/claude-opus-4-8', opus],
  ['anthropic/claude-opus-4-7', opus],
  ['anthropic/claude-opus-4-6', opus],
  ['anthropic/claude-opus-4-5', opus],
  ['anthropic/claude-opus-4-1', oldOpus],
  ['anthropic/claude-opus-4-0', oldOpus],
  ['anthropic/claude-opus-4', oldOpus],
  ['anthropic/claude-3-opus', oldOpus],
  ['anthropic/claude-sonnet-5-5', [2, 10, 0.2, 2.5, 4]],
  ['anthropic/claude-sonnet-5', [2, 10, 0.2, 2.5, 4]],
  ['anthropic/claude-sonnet-4-6', sonnet],
  ['anthropic/claude-sonnet-4-5', sonnet, longSonnet],
  ['anthropic/claude-sonnet-4-0', sonnet, longSonnet],
  ['anthropic/claude-sonnet-4', sonnet, longSonnet],
  ['anthropic/claude-3-7-sonnet', sonnet],
  ['anthropic/claude-3-5-sonnet', sonnet],
  ['anthropic/claude-3-sonnet', sonnet],
  [
    'anthropic/claude-haiku-5-5',
    [0.1, 0.5, 0.01, 0.125, 0.2],
    { above: 100_000, figures: [0.5, 2.5, 0.05, 0.625, 1] },
  ],
  ['anthropic/claude-haiku-4-5', [1, 5, 0.1, 1.25, 2]],
  ['anthropic/claude-3-5-haiku', [0.8, 4, 0.08, 1, 1.6]],
  ['anthropic/claude-3-haiku', [0.25, 1.25, 0.03, 0.3, 0.5]],
];

const above272k = (...figures: PriceFigures) => ({ above: 272_000, figures });

const openai: readonly PriceRow[] = [
  ['openai/gpt-6-astra', [10, 50, 1, 12.5, 12.5], above272k(20, 75, 2, 25, 25)],
  ['openai/gpt-5.6-sol', [4, 20, 0.4, 5, 5], above272k(8, 30, 0.8, 10, 10)],
  ['openai/gpt-5.6-terra', [2, 12, 0.2, 2.5, 2.5], above272k(4, 18, 0.4, 5, 5)],
  ['openai/gpt-5.6-luna', [0.2, 1.2, 0.02, 0.25, 0.25], above272k(0.4, 1.8, 0.04, 0.5, 0.5)],
  ['openai/gpt-5.5-pro', [30, 180], above272k(60, 270)],
  ['openai/gpt-5.5', [5, 30, 0.5], above272k(10, 45, 1)],
  ['openai/gpt-5.4-pro', [30, 180], above272k(60, 270)],
  ['openai/gpt-5.4-mini', [0.75, 4.5, 0.075]],
  ['openai/gpt-5.4-nano', [0.2, 1.25, 0.02]],
  ['openai/gpt-5.4', [2.5, 15, 0.25], above272k(5, 22.5, 0.5)],
  ['openai/gpt-5.3-codex', [1.75, 14, 0.175]],
  ['openai/gpt-5.2-pro', [21, 168]],
  ['openai/gpt-5.2-codex', [1.75, 14, 0.175]],
  ['openai/gpt-5.2', [1.75, 14, 0.175]],
  ['openai/gpt-5.1-codex-mini', [0.25, 2, 0.025]],
  ['openai/gpt-5.1-codex', [1.25, 10, 0.125]],
  ['openai/gpt-5.1', [1.25, 10, 0.125]],
  ['openai/gpt-5-pro', [15, 120]],
  ['openai/gpt-5-codex', [1.25, 10, 0.125]],
  ['openai/gpt-5-mini', [0.25, 2, 0.025]],
  ['openai/gpt-5-nano', [0.05, 0.4, 0.005]],
  ['openai/gpt-5', [1.25, 10, 0.125]],
  ['openai/gpt-4.1-mini', [0.4, 1.6, 0.1]],
  ['openai/gpt-4.1-nano', [0.1, 0.4, 0.025]],
  ['openai/gpt-4.1', [2, 8, 0.5]],
  ['openai/gpt-4o-mini', [0.15, 0.6, 0.075]],
  ['openai/gpt-4o-2024-05-13', [5, 15]],
  ['openai/gpt-4o', [2.5, 10, 1.25]],
  ['openai/o4-mini', [1.1, 4.4, 0.275]],
  ['openai/o3-pro', [20, 80]],
  ['openai/o3-mini', [1.1, 4.4, 0.55]],
  ['openai/o3', [2, 8, 0.5]],
  ['openai/o1-pro', [150, 600]],
  ['openai/o1', [15, 60, 7.5]],
];

const above200k = (...figures: PriceFigures) => ({ above: 200_000, figures });

const google: readonly PriceRow[] = [
  ['google/gemini-3.8-flash', [0.75, 3.75, 0.075]],
  ['google/gemini-3.7-flash', [0.75, 3.75, 0.075]],
  ['google/gemini-3.6-flash', [0.75, 3.75, 0.075]],
  ['google/gemini-3.5-flash-lite', [0.3, 2.5, 0.03]],
  ['google/gemini-3.5-flash', [1.5, 9, 0.15]],
  ['google/gemini-3.1-flash-lite', [0.25, 1.5, 0.025]],
  ['google/gemini-3.1-pro', [2, 12, 0.2], above200k(4, 18, 0.4)],
  ['google/gemini-3-pro', [2, 12, 0.2], above200k(4, 18, 0.4)],
  ['google/gemini-3-flash', [0.5, 3, 0.05]],
  ['google/gemini-2.5-pro', [1.25, 10, 0.125], above200k(2.5, 15, 0.25)],
  ['google/gemini-2.5-flash-lite', [0.1, 0.4, 0.01]],
  ['google/gemini-2.5-flash', [0.3, 2.5, 0.03]],
  ['google/gemini-2.0-flash-lite', [0.075, 0.3]],
  ['google/gemini-2.0-flash', [0.1, 0.4, 0.025]],
];

export const priceTable: readonly PriceRow[] = [...anthropic, ...openai, ...google];
