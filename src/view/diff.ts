import { diffLines } from '../lib/text/diff.ts';
import { countLines } from '../lib/text/text.ts';
import { cutEnd } from './bound.ts';
import type { DiffHunk, FileDiff } from './call.ts';

const maxLines = 400;
const maxInLine = 500;
/** Longer texts are not compared: the tool itself reports the change. */
const maxCompared = 20_000;

/** The change a call would make to a file, as far as its input tells. Line numbers are unknown. */
export function proposedDiff(toolName: string, input: Readonly<Record<string, unknown>>): FileDiff | null {
  const { file_path: path, old_string: before, new_string: after, content } = input;
  if (typeof path !== 'string') return null;
  if (toolName === 'Write' && typeof content === 'string') return wholeFile(path, content);
  if (toolName !== 'Edit' || typeof before !== 'string' || typeof after !== 'string') return null;
  if (before.length + after.length > maxCompared) return null;
  const [old, now] = asLines(before, after);
  const hunks = diffLines(old, now).map(({ lines }) => ({ oldStart: 0, newStart: 0, lines }));
  return bounded(path, before === '', hunks);
}

/** Parts of a file do not end where the file ends: a missing newline at their end means nothing. */
function asLines(before: string, after: string): [string, string] {
  if (before.endsWith('\n') && after.endsWith('\n')) return [before, after];
  const whole = (text: string) => (text === '' ? '' : `${text}\n`);
  return [whole(before), whole(after)];
}

/** The change the tool reports; undefined if it reports none. */
export function reportedDiff(data: unknown, proposed: FileDiff | null): FileDiff | null | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { filePath, structuredPatch, type } = data as Record<string, unknown>;
  if (typeof filePath !== 'string' || !Array.isArray(structuredPatch)) return undefined;
  if (type === 'create') return proposed && { ...proposed, isNew: true };
  const hunks = structuredPatch.flatMap((hunk) => (isHunk(hunk) ? [hunk] : []));
  const isNew = type === undefined && proposed?.isNew === true;
  return bounded(proposed?.path ?? filePath, isNew, hunks);
}

function wholeFile(path: string, content: string): FileDiff {
  const added = countLines(content);
  const lines = cutEnd(content, maxLines * maxInLine)
    .split('\n', Math.min(added, maxLines))
    .map((line) => `+${cutEnd(line, maxInLine)}`);
  const hunks = lines.length === 0 ? [] : [{ oldStart: 0, newStart: 1, lines }];
  return { path, isNew: false, added, removed: 0, hunks, omitted: added - lines.length };
}

function bounded(path: string, isNew: boolean, hunks: readonly DiffHunk[]): FileDiff {
  const count = (mark: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0);
  const kept: DiffHunk[] = [];
  let room = maxLines;
  let omitted = 0;
  for (const { oldStart, newStart, lines } of hunks) {
    const shown = lines.slice(0, room).map((line) => cutEnd(line, maxInLine));
    if (shown.length > 0) kept.push({ oldStart, newStart, lines: shown });
    room -= shown.length;
    omitted += lines.length - shown.length;
  }
  return { path, isNew, added: count('+'), removed: count('-'), hunks: kept, omitted };
}

function isHunk(value: unknown): value is DiffHunk {
  if (typeof value !== 'object' || value === null) return false;
  const { oldStart, newStart, lines } = value as Record<string, unknown>;
  return typeof oldStart === 'number' && typeof newStart === 'number' && Array.isArray(lines);
}
