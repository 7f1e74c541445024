import { promptTokens, type Usage } from '../protocol/index.ts';
import { type PriceFigures, priceTable } from './prices.data.ts';

/** US dollars per million tokens. */
export interface Rates {
  input: number;
  output: number;
  cacheRead: number;
  /** Kept for five minutes, which is what we ask for. */
  cacheWrite: number;
  cacheWriteHour: number;
}

export interface Price extends Rates {
  /** For the whole request, once its prompt is longer than this many tokens. */
  long?: { above: number; rates: Rates };
}

/** The settings' `modelPricing`: by `provider/id` or a prefix. A missing price is that of input. */
export type PriceOverrides = Readonly<Record<string, PriceOverride>>;

export interface PriceOverride {
  input: number;
  output: number;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
}

/**
 * The price of `provider/id`, or undefined if unknown. The user's setting takes precedence. In our own table a prefix
 * matches only up to a date or similar: `claude-opus-5` says nothing of a later `claude-opus-5-9`.
 */
export function lookUpPrice(model: string, overrides: PriceOverrides = {}): Price | undefined {
  const given = longest(Object.keys(overrides).filter((beginning) => model.startsWith(beginning)));
  const override = given === undefined ? undefined : overrides[given];
  if (override) return buildRates([override.input, override.output, override.cacheRead, override.cacheWrite]);
  const rows = priceTable.filter(
    ([beginning]) => model.startsWith(beginning) && sameModel.test(model.slice(beginning.length)),
  );
  const beginning = longest(rows.map((row) => row[0]));
  const row = rows.find((candidate) => candidate[0] === beginning);
  if (!row) return undefined;
  const [, figures, long] = row;
  return {
    ...buildRates(figures),
    long: long ? { above: long.above, rates: buildRates(long.figures) } : undefined,
  };
}

/** Nothing more, a date, `latest`, a preview's name, or the mark of the long window. */
const sameModel =
  /^(?:[-@:](?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d{4}|\d\d-\d\d|\d{3,4}|latest|chat-latest|preview|exp)(?:-[\d-]+)?)?(?:\[1m\])?$/;

function longest(texts: readonly string[]): string | undefined {
  return texts.reduce<string | undefined>(
    (best, text) => (best === undefined || text.length > best.length ? text : best),
    undefined,
  );
}

function buildRates([input, output, cacheRead, cacheWrite, cacheWriteHour]: PriceFigures): Rates {
  return {
    input,
    output,
    cacheRead: cacheRead ?? input,
    cacheWrite: cacheWrite ?? input,
    cacheWriteHour: cacheWriteHour ?? cacheWrite ?? input,
  };
}

/** The cost of a response, in whole micro-dollars, rounded up. */
export function computeCost(usage: Usage, price: Price, lifetime: 'minutes' | 'hour' = 'minutes'): number {
  const rates = chooseRates(price, promptTokens(usage));
  const cacheWrite = lifetime === 'hour' ? rates.cacheWriteHour : rates.cacheWrite;
  return toMicroUsd(
    usage.input_tokens * perToken(rates.input) +
      usage.cache_read_input_tokens * perToken(rates.cacheRead) +
      usage.cache_creation_input_tokens * perToken(cacheWrite) +
      usage.output_tokens * perToken(rates.output),
  );
}

export function chooseRates(price: Price, prompt: number): Rates {
  return price.long && prompt > price.long.above ? price.long.rates : price;
}

/** The most that a prompt of this size can cost, whatever the cache does: in pico-dollars. */
export function dearestPrompt(price: Price, prompt: number): number {
  const { input, cacheRead, cacheWrite } = chooseRates(price, prompt);
  return prompt * perToken(Math.max(input, cacheRead, cacheWrite));
}

/** Pico-dollars, whole: sums of them do not drift. */
export function perToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * picoPerMicro);
}

export const picoPerMicro = 1_000_000;

export function toMicroUsd(pico: number): number {
  return Math.ceil(pico / picoPerMicro);
}
