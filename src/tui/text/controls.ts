import { hiddenCharacters, isPlainText, type TextKind } from '../../lib/text/hidden-characters.ts';
import { joinLines, nameHidden } from '../../lib/text/text.ts';
import { width } from './width.ts';

/**
 * Makes outside text safe to show: the terminal displays it and executes none of it. Invisible characters are written out
 * (`␛`, `⟨U+202E⟩`); tabs become blanks. Newlines stay. `prose`: an answer or the user's own words, in which emoji and all
 * languages look right.
 */
export function showControls(text: string, reading: TextKind = 'all'): string {
  return showParts(text, reading)
    .map((part) => part.text)
    .join('');
}

export interface ShownPart {
  text: string;
  /** It replaces a character that could not be seen. */
  isControl: boolean;
}

/** The same in parts, to tell written-out characters from the same ones in the text. */
export function showParts(text: string, reading: TextKind = 'all'): ShownPart[] {
  const lines = expandTabs(text.includes('\r\n') ? text.replaceAll('\r\n', '\n') : text);
  if (isPlainText(lines)) return [{ text: lines, isControl: false }];
  const parts: ShownPart[] = [];
  let from = 0;
  for (const { 0: found, 1: kept, index } of lines.matchAll(hiddenCharacters(reading))) {
    if (kept) continue;
    if (index > from) parts.push({ text: lines.slice(from, index), isControl: false });
    parts.push({ text: nameHidden(found), isControl: true });
    from = index + found.length;
  }
  if (from < lines.length || parts.length === 0) parts.push({ text: lines.slice(from), isControl: false });
  return parts;
}

/** The same on one line, bounded: for titles, rows and badges. Blanks, tabs and newlines become one blank. */
export function showLine(text: string, most = 1000, reading: TextKind = 'all'): string {
  const show = (part: string) => showControls(joinLines(part), reading);
  // Both ends: what a long text is shown to end with has to be its end.
  const each = most * 2;
  if (text.length <= each * 2) return boundLine(show(text), most);
  const [head, tail] = [show(text.slice(0, each)), show(text.slice(-each))];
  if (head.length + tail.length + 3 <= most) return `${head} … ${tail}`;
  return boundLine(head + tail, most, text.length - each * 2);
}

/** Wider than any terminal, and short enough to check each character. */
const maxOfLine = 4000;

/**
 * The head and tail of a line that is too long, with the number of characters left out between them. `missing` were left
 * out of its middle before.
 */
export function boundLine(line: string, most: number = maxOfLine, missing = 0): string {
  if (line.length <= most && missing === 0) return line;
  const tail = Math.min(200, Math.floor(most / 4));
  const formatMark = (left: number) => ` … ${left} characters … `;
  const head = most - tail - formatMark(line.length + missing).length;
  // If there is no room for the words, a sign replaces them.
  if (head <= tail) return `${wellFormedEnd(line.slice(0, Math.max(0, most - 1)))}…`;
  const start = wellFormedEnd(line.slice(0, head));
  const end = wellFormedStart(line.slice(line.length - tail));
  return start + formatMark(line.length + missing - start.length - end.length) + end;
}

export interface TextLimits {
  maxLines?: number;
  maxLine?: number;
  /** Which lines stay if there are too many; the head unless given. */
  keep?: 'head' | 'tail' | 'both';
}

export interface BoundText {
  /** If both ends are kept, a line says that lines were left out. */
  text: string;
  /** The number of lines left out. */
  left: number;
}

/** The part of the text to be shown: later steps take time for this part only, not for all of the input. */
export function boundText(text: string, limits: TextLimits = {}): BoundText {
  const { maxLines = 2000, maxLine = maxOfLine, keep = 'head' } = limits;
  const total = countBreaks(text) + 1;
  const bound = (part: string) =>
    part
      .split('\n')
      .map((line) => boundLine(line, maxLine))
      .join('\n');
  if (total <= maxLines) return { text: bound(text), left: 0 };
  const left = total - maxLines;
  if (keep === 'head') return { text: bound(text.slice(0, afterLines(text, maxLines) - 1)), left };
  if (keep === 'tail') return { text: bound(text.slice(afterLines(text, left))), left };
  const head = Math.ceil(maxLines / 2);
  const first = bound(text.slice(0, afterLines(text, head)));
  return { text: `${first}… ${left} lines …\n${bound(text.slice(afterLines(text, head + left)))}`, left };
}

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

/** The start of the line after the first `lines`. */
function afterLines(text: string, lines: number): number {
  let at = 0;
  for (let count = 0; count < lines; count++) {
    const next = text.indexOf('\n', at);
    if (next === -1) return text.length;
    at = next + 1;
  }
  return at;
}

function wellFormedEnd(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}

function wellFormedStart(text: string): string {
  return /^[\udc00-\udfff]/.test(text) ? text.slice(1) : text;
}

const tabStop = 4;

/** Tabs as blanks up to the next stop. */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  return text.split('\n').map(expandLine).join('\n');
}

function expandLine(line: string): string {
  const [first = '', ...rest] = line.split('\t');
  let shown = first;
  let column = width(first);
  for (const part of rest) {
    const blanks = tabStop - (column % tabStop);
    shown += ' '.repeat(blanks) + part;
    column += blanks + width(part);
  }
  return shown;
}
