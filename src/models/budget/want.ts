import { dearestPrompt, type Price, perToken, picoPerMicro, chooseRates, toMicroUsd } from '../prices.ts';

/** A request that is to go out, as far as its cost is concerned. */
export interface Want {
  model: string;
  /** The most that its prompt can count for. */
  inputTokens: number;
  maxOutput: number;
  /** With less than this it is not worth sending. */
  leastOutput: number;
  /** Of every model that may answer; undefined when one of them is not known. */
  prices: readonly Price[] | undefined;
}

/** An answer may be cut down to this, not further. */
export const outputFloor = 1_024;

/** While others have reservations open, a request rather waits than be cut down below this. */
export const comfortableOutput = 8_192;

/** The most it can cost with so many tokens of output, thinking included; null when no price is known. */
export function worstCost(want: Want, output: number): number | null {
  if (!want.prices) return null;
  const costs = want.prices.map((price) =>
    toMicroUsd(dearestPrompt(price, want.inputTokens) + output * outputRate(want, price)),
  );
  return Math.max(0, ...costs);
}

/** How many tokens of output so much money allows, after the prompt is paid; negative when not even that. */
export function outputWithin(want: Want, microUsd: number): number {
  if (!want.prices) return -1;
  const counts = want.prices.map((price) => {
    const left = Math.min(microUsd, maxMicroUsd) * picoPerMicro - dearestPrompt(price, want.inputTokens);
    const rate = outputRate(want, price);
    return left < 0 ? -1 : rate === 0 ? want.maxOutput : Math.floor(left / rate);
  });
  return Math.min(want.maxOutput, ...counts);
}

/** Beyond this, pico-dollars are no longer whole numbers; no single request comes near. */
const maxMicroUsd = 9_000_000_000;

function outputRate(want: Want, price: Price): number {
  return perToken(chooseRates(price, want.inputTokens).output);
}
