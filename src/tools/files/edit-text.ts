import { fail, ok, type Result } from '../../lib/result.ts';
import { similarity } from './near-names.ts';

export interface Replacement {
  old_string: string;
  new_string: string;
  replace_all?: boolean | undefined;
}

/**
 * Exact replacement. Lines that end in CRLF are shown to a model without the return, so for such text the strings
 * are also taken with CRLF.
 */
export function replaceText(
  text: string,
  edit: Replacement,
): Result<{ text: string; count: number }, string> {
  if (edit.old_string === '') return fillEmpty(text, edit.new_string);
  const isReturned = text.includes('\r\n');
  const found = findPositions(text, edit.old_string);
  const old = found.length === 0 && isReturned ? withReturns(edit.old_string) : edit.old_string;
  const positions = found.length > 0 ? found : findPositions(text, old);
  if (positions.length === 0) return fail(explainMissing(text, edit));
  if (positions.length > 1 && !edit.replace_all) return fail(explainSeveral(text, positions));
  const allReturned = isReturned && !/(^|[^\r])\n/.test(text);
  const replacement = allReturned || old !== edit.old_string ? withReturns(edit.new_string) : edit.new_string;
  const spans = positions.map((start) => ({ start, end: start + old.length }));
  const removed = replacement === '' ? spans.map((span) => takeWholeLine(text, span)) : spans;
  return ok({ text: splice(text, removed, replacement), count: positions.length });
}

function fillEmpty(text: string, content: string): Result<{ text: string; count: number }, string> {
  if (text === '') return ok({ text: content, count: 1 });
  return fail(
    'old_string is empty, but the file exists and has content. Give the text to replace, or use Write.',
  );
}

function findPositions(text: string, part: string): number[] {
  const positions: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) positions.push(at);
  return positions;
}

interface Span {
  start: number;
  end: number;
}

/**
 * Removing all that a line says removes the line: no empty one is left behind. Not if the text begins with a line break,
 * which already takes one away.
 */
function takeWholeLine(text: string, { start, end }: Span): Span {
  const lineBreak = /^\r?\n/.exec(text.slice(end, end + 2))?.[0];
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const isWhole = start === 0 || /^[ \t]*$/.test(text.slice(lineStart, start));
  if (lineBreak === undefined || !isWhole || /^\r?\n|\n$/.test(text.slice(start, end))) return { start, end };
  return { start: start === 0 ? 0 : lineStart, end: end + lineBreak.length };
}

/** Not `String.replace`, which gives `$` in the new text a meaning. */
function splice(text: string, spans: readonly Span[], replacement: string): string {
  let result = '';
  let last = 0;
  for (const { start, end } of spans) {
    result += text.slice(last, Math.max(last, start)) + replacement;
    last = end;
  }
  return result + text.slice(last);
}

function withReturns(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function explainSeveral(text: string, positions: readonly number[]): string {
  const numbers = positions.slice(0, 10).map((position) => countLineNumber(text, position));
  const more = positions.length > 10 ? ', …' : '';
  return (
    `old_string occurs ${positions.length} times (lines ${numbers.join(', ')}${more}). ` +
    'Include more of the surrounding text, or set replace_all.'
  );
}

/** The likeliest reason that the text was not found, and the lines probably meant. */
function explainMissing(text: string, edit: Replacement): string {
  const missing = 'old_string was not found.';
  if (/^\s*\d+→/.test(edit.old_string))
    return `${missing} Leave out the line numbers and arrows that Read shows.`;
  const lines = text.split(/\r?\n/);
  const wanted = edit.old_string.split(/\r?\n/);
  const loose = findLoosely(lines, wanted);
  if (loose !== undefined) {
    return `${missing} Whitespace differs; the file has:\n${quote(lines, loose, wanted.length)}`;
  }
  if (edit.new_string !== '' && text.includes(edit.new_string)) {
    return `${missing} new_string is already in the file: the edit may have been made before.`;
  }
  const near = findNearest(lines, wanted);
  return near === undefined
    ? `${missing} Read the file again.`
    : `${missing} Nearest:\n${quote(lines, near, wanted.length)}`;
}

function findLoosely(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const bare = (line: string) => line.replace(/\s+/g, '');
  const all = lines.map(bare);
  const target = wanted.map(bare);
  while (target.length > 1 && target.at(-1) === '') target.pop();
  if (target.every((line) => line === '')) return undefined;
  const at = all.findIndex((_, start) => target.every((line, index) => all[start + index] === line));
  return at === -1 ? undefined : at;
}

const maxCompared = 20_000;

function findNearest(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const skipped = wanted.findIndex((line) => line.trim() !== '');
  const target = wanted[skipped]?.trim().slice(0, 200);
  if (!target) return undefined;
  let best = { score: 0.6, at: -1 };
  for (const [at, line] of lines.slice(0, maxCompared).entries()) {
    const score = similarity(target, line.trim().slice(0, 200));
    if (score > best.score) best = { score, at };
  }
  return best.at === -1 ? undefined : Math.max(0, best.at - skipped);
}

function quote(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + Math.min(count, 12))
    .map((line, index) => `${start + index + 1}→${line.slice(0, 300)}`)
    .join('\n');
}

function countLineNumber(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
}
