import { chooseRates, dearestPrompt, type Price, perToken, picoPerMicro, toMicroUsd } from '../prices.ts';

/** A request to be sent, as far as its cost is concerned. */
export interface Want {
  model: string;
  /** The most tokens that its prompt can count. */
  inputTokens: number;
  maxOutput: number;
  /** With less than this it is not worth sending. */
  leastOutput: number;
  /** Of every model that may answer; undefined when one of them is unknown. */
  prices: readonly Price[] | undefined;
}

/** An answer may be cut down to this, not further. */
export const outputFloor = 1_024;

/** While other reservations are open, a request waits rather than being cut down below this. */
export const comfortableOutput = 8_192;

/** The most it can cost with this many tokens of output, thinking included; null when no price is known. */
export function worstCost(want: Want, output: number): number | null {
  if (!want.prices) return null;
  const costs = want.prices.map((price) =>
    toMicroUsd(dearestPrompt(price, want.inputTokens) + output * outputRate(want, price)),
  );
  return Math.max(0, ...costs);
}

/**
 * How many tokens of output this much money allows, after the prompt is paid; negative if it does not even cover that.
 */
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
