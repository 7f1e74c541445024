/** The characters of all text in a value, for a bound on what is kept. The rest of it is small. */
export function weighText(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null || depth > maxDepth) return 1;
  let weight = 1;
  for (const inner of Object.values(value)) weight += weighText(inner, depth + 1);
  return weight;
}

/** Nothing of ours is nested this deep; a stranger's value may be. */
const maxDepth = 200;
