/** Chance that can be repeated (mulberry32). Not for secrets. */
export interface Random {
  /** A whole number from 0 up to, not including, the limit. */
  below(limit: number): number;
  text(length: number): string;
}

const letters = ['a', 'z', ' ', '\n', '"', '\\', 'é', '漢', '🙂', '\u2028', '{', '}'];

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    text: (length) => Array.from({ length }, () => letters[below(letters.length)]).join(''),
  };
}
