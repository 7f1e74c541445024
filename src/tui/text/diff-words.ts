/** From and to: the part of a line that differs from its counterpart. */
export type Change = [from: number, to: number];

const maxLine = 400;

/**
 * Where two versions of a line differ, by words: the parts of the old one and of the new one. Undefined when they have
 * too little in common, or are too long to look at.
 */
export function changedWords(before: string, after: string): [Change[], Change[]] | undefined {
  if (before.length > maxLine || after.length > maxLine) return undefined;
  const a = before.match(words) ?? [];
  const b = after.match(words) ?? [];
  const common = commonWords(a, b);
  const kept = common.reduce((sum, [index]) => sum + (a[index]?.trim().length ?? 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length);
  if (kept * 3 < longest) return undefined;
  return [
    changesOf(a, new Set(common.map(([index]) => index))),
    changesOf(b, new Set(common.map(([, index]) => index))),
  ];
}

const words = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** The longest common subsequence, by the plain table: lines are short here. */
function commonWords(a: readonly string[], b: readonly string[]): [number, number][] {
  const columns = b.length + 1;
  const table = new Uint16Array((a.length + 1) * columns);
  const at = (row: number, column: number) => table[row * columns + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--)
      table[row * columns + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: [number, number][] = [];
  for (let row = 0, column = 0; row < a.length && column < b.length; ) {
    if (a[row] === b[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row++;
    else column++;
  }
  return pairs;
}

function changesOf(parts: readonly string[], kept: ReadonlySet<number>): Change[] {
  const changes: Change[] = [];
  let offset = 0;
  parts.forEach((part, index) => {
    const end = offset + part.length;
    const last = changes.at(-1);
    if (!kept.has(index)) {
      if (last && last[1] === offset) last[1] = end;
      else changes.push([offset, end]);
    }
    offset = end;
  });
  return changes;
}
