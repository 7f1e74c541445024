const maxWords = 64;

/** `{a,b}` and `{1..9}` without anything nested or quoted; undefined for all others. */
export function expandBraces(text: string): string[] | undefined {
  const inside = /^\{([\w.,/@%+:*?-]*)\}$/.exec(text)?.[1];
  if (inside === undefined) return undefined;
  if (inside.includes(',')) {
    const words = inside.split(',');
    return words.length > maxWords || words.some((word) => word.includes('..')) ? undefined : words;
  }
  const [, low, high] = /^(\d{1,6})\.\.(\d{1,6})$/.exec(inside) ?? [];
  if (low === undefined || high === undefined) return undefined;
  const [from, to] = [Number(low), Number(high)];
  if (Math.abs(to - from) >= maxWords || /^0\d/.test(low + high)) return undefined;
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + index * step));
}
