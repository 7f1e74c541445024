import { type ArrayChange, diffArrays } from 'diff';

/** Start and end of the part of a line that differs from its counterpart. */
export type ChangedRange = [from: number, to: number];

const maxLine = 400;
const words = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/**
 * The differing parts of two versions of a line, by words: those of the old one and of the new one. Undefined if they have
 * too little in common, or are too long to compare.
 */
export function changedWords(before: string, after: string): [ChangedRange[], ChangedRange[]] | undefined {
  if (before.length > maxLine || after.length > maxLine) return undefined;
  const parts = diffArrays(before.match(words) ?? [], after.match(words) ?? []);
  const kept = parts
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.reduce((size, word) => size + word.trim().length, 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length);
  if (kept * 3 < longest) return undefined;
  return [findChanges(parts, 'removed'), findChanges(parts, 'added')];
}

/** The changed ranges of one side, which has all parts except those only in the other. */
function findChanges(parts: readonly ArrayChange<string>[], side: 'added' | 'removed'): ChangedRange[] {
  const other = side === 'added' ? 'removed' : 'added';
  const changes: ChangedRange[] = [];
  let offset = 0;
  for (const part of parts) {
    if (part[other]) continue;
    const end = offset + part.value.join('').length;
    const last = changes.at(-1);
    if (part[side] && last?.[1] === offset) last[1] = end;
    else if (part[side]) changes.push([offset, end]);
    offset = end;
  }
  return changes;
}
