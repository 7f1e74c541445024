import { structuredPatch } from 'diff';

/** A run of changed lines with the lines around it, as in a unified patch. */
export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each begins with a space, `-`, `+` or `\`. */
  lines: string[];
}

/** Diffs with more differences are shown as one block: a diff is for reading. */
const maxDifferences = 500;

export function diffLines(before: string, after: string): Hunk[] {
  if (before === after) return [];
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: 3,
    maxEditLength: maxDifferences,
  });
  return patch?.hunks ?? [replaceAll(before, after)];
}

export function renderHunks(hunks: readonly Hunk[], maxLines: number): string {
  const lines = hunks.flatMap((hunk) => [
    `@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`,
    ...hunk.lines.map((line) => (line.length > 300 ? `${line.slice(0, 300)}…` : line)),
  ]);
  if (lines.length <= maxLines) return lines.join('\n');
  return `${lines.slice(0, maxLines).join('\n')}\n[${lines.length - maxLines} more lines of the diff]`;
}

function replaceAll(before: string, after: string): Hunk {
  const [old, now] = [splitLines(before), splitLines(after)];
  const lines = [...markLines('-', before, old), ...markLines('+', after, now)];
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines };
}

function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function markLines(sign: string, text: string, lines: readonly string[]): string[] {
  const marked = lines.map((line) => `${sign}${line}`);
  return text === '' || text.endsWith('\n') ? marked : [...marked, '\\ No newline at end of file'];
}
