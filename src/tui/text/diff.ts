import { diffLines, type Hunk } from '../../lib/text/diff.ts';
import { type HunkOptions, isPlaced, renderHunk } from './diff-hunk.ts';
import { renderShown } from './output.ts';
import { paint } from './style.ts';

export type DiffSource =
  | { readonly hunks: readonly Hunk[] }
  | { readonly before: string; readonly after: string }
  /** As in a patch. */
  | { readonly unified: string };

export interface DiffOptions extends Omit<HunkOptions, 'digits'> {
  /** Further lines are counted and not shown. No limit for a question: the user must have seen what they approve. */
  maxLines?: number;
  /** The caller has already named the file. */
  isNamed?: boolean;
}

/** A change with line numbers, and the differing words highlighted. */
export function renderDiff(source: DiffSource, options: DiffOptions): string[] {
  const { theme, width, path, maxLines = Number.POSITIVE_INFINITY } = options;
  const { dim, strong } = theme.styles;
  const hunks = buildHunks(source);
  const total = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const lines =
    path === undefined || options.isNamed ? [] : renderShown(path, { width, theme, style: strong });
  let shown = 0;
  for (const hunk of hunks) {
    if (shown >= maxLines) break;
    if (shown > 0) lines.push(paint(dim, theme.words ? '…' : '⋮'));
    const part = { ...hunk, lines: hunk.lines.slice(0, maxLines - shown) };
    lines.push(...renderHunk(part, { ...options, digits: countDigits(hunks) }));
    shown += part.lines.length;
  }
  const left = total - shown;
  if (total === 0) lines.push(paint(dim, '(no change)'));
  if (left > 0) lines.push(paint(dim, `… ${left} more ${left === 1 ? 'line' : 'lines'}`));
  return lines;
}

function buildHunks(source: DiffSource): readonly Hunk[] {
  if ('hunks' in source) return source.hunks;
  return 'unified' in source ? parseUnified(source.unified) : diffLines(source.before, source.after);
}

function parseUnified(text: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of text.split('\n')) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      const [, oldStart, oldLines = 1, newStart, newLines = 1] = head.map(Number);
      hunks.push({ oldStart: oldStart ?? 1, oldLines, newStart: newStart ?? 1, newLines, lines: [] });
    } else if (/^[-+ \\]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

function countDigits(hunks: readonly Hunk[]): number {
  const placed = hunks.filter(isPlaced);
  if (placed.length === 0) return 0;
  const last = placed.map((hunk) => Math.max(hunk.oldStart, hunk.newStart) + hunk.lines.length);
  return String(Math.max(...last)).length;
}
