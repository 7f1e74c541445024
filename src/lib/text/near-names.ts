const maxNames = 3;

/** The names that a mistyped one may have meant, likeliest first: with the same beginning, or a letter or two off. */
export function nearNames(typed: string, names: readonly string[]): string[] {
  const wanted = typed.toLowerCase();
  const far = Math.max(1, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, steps: stepsTo(wanted, name.toLowerCase()) }))
    .filter(({ steps }) => steps <= far)
    .sort((a, b) => a.steps - b.steps)
    .slice(0, maxNames)
    .map(({ name }) => name);
}

/** Letters to insert, delete, replace or swap; an incomplete name counts as one. */
function stepsTo(typed: string, name: string): number {
  if (typed.length > 1 && name.startsWith(typed)) return 1;
  let before: number[] = [];
  let row = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (let i = 1; i <= typed.length; i++) {
    const next = [i];
    for (let j = 1; j <= name.length; j++) {
      const isSame = typed[i - 1] === name[j - 1];
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === name[j - 2] && typed[i - 2] === name[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[name.length] ?? 0;
}
