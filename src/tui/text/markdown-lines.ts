/** The kind of block a line of Markdown opens, judged from the line alone. Lines may end with a carriage return. */

export interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  readonly indent: number;
  readonly language: string;
}

export function readFence(line: string): Fence | undefined {
  const [opening = '', indent = '', marks = ''] = /^( {0,3})(`{3,}|~{3,})/.exec(line) ?? [];
  if (opening === '') return undefined;
  const mark = marks.startsWith('`') ? '`' : '~';
  const info = line.slice(opening.length);
  // Otherwise it is inline code.
  if (mark === '`' && info.includes('`')) return undefined;
  const [language = ''] = /[^\s`]+/.exec(info) ?? [];
  return {
    mark,
    length: marks.length,
    indent: indent.length,
    language: language.length > maxNameLength ? '' : language,
  };
}

/** A longer word is not a language. */
const maxNameLength = 40;

export function closesFence(line: string, fence: Fence): boolean {
  const marks = trimBlanks(line).replace(/^ +/, '');
  return measureIndent(line) < 4 + fence.indent && marks.length >= fence.length && isAll(marks, fence.mark);
}

export interface Marker {
  readonly indent: number;
  /** As written: `-`, `12.`. */
  readonly mark: string;
  /** The column in which the item's text begins. */
  readonly content: number;
}

export function readMarker(line: string): Marker | undefined {
  const found = /^( {0,40})([-*+]|\d{1,9}[.)])( {1,4}(?=\S)| *\r?$| )/.exec(line);
  if (!found || isRule(line)) return undefined;
  const [, indent = '', mark = '', gap = ''] = found;
  return {
    indent: indent.length,
    mark,
    content: indent.length + mark.length + Math.max(1, gap.trimEnd() === gap ? 1 : gap.length),
  };
}

export function isHeading(line: string): boolean {
  return /^ {0,3}#{1,6}(?: |\r?$)/.test(line);
}

export function isRule(line: string): boolean {
  return /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})\r?$/.test(line.length > 200 ? '' : line);
}

/** The line under a heading, `===` or `---`. */
export function isUnderline(line: string): boolean {
  return /^ {0,3}(?:=+|-+) *\r?$/.test(line);
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

export function isBlank(line: string): boolean {
  return trimBlanks(line) === '';
}

export function measureIndent(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at++;
  return at;
}

/** Ends a paragraph without a blank line before it. A numbered list does so only if it starts with 1. */
export function interrupts(line: string): boolean {
  if (isHeading(line) || isQuote(line) || isRule(line) || readFence(line)) return true;
  const marker = readMarker(line);
  return (
    marker !== undefined &&
    marker.indent < 4 &&
    trimBlanks(line).length > marker.content &&
    startsAList(marker.mark)
  );
}

/** Trims blanks and newlines at the end, and nothing else: invisible characters are shown. */
export function trimBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && ' \n\r\t'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function startsAList(mark: string): boolean {
  return !/\d/.test(mark) || /^1[.)]$/.test(mark);
}

function isAll(text: string, character: string): boolean {
  for (const one of text) if (one !== character) return false;
  return text !== '';
}
