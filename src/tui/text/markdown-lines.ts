/** What a line of Markdown opens, told from the line alone. Lines may end with a carriage return. */

export interface Fence {
  readonly mark: '`' | '~';
  readonly length: number;
  readonly indent: number;
  readonly language: string;
}

export function fenceOf(line: string): Fence | undefined {
  const found = /^( {0,3})(`{3,}|~{3,})[ \t]*([^\s`]{0,40})[^`\n]{0,400}$/.exec(line.trimEnd());
  if (!found) return undefined;
  const [, indent = '', marks = '', language = ''] = found;
  return { mark: marks.startsWith('`') ? '`' : '~', length: marks.length, indent: indent.length, language };
}

export function closesFence(line: string, fence: Fence): boolean {
  const marks = line.trim();
  return indentOf(line) < 4 + fence.indent && marks.length >= fence.length && isAll(marks, fence.mark);
}

export interface Marker {
  readonly indent: number;
  /** As written: `-`, `12.`. */
  readonly mark: string;
  /** The column in which the item's text begins. */
  readonly content: number;
}

export function markerOf(line: string): Marker | undefined {
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
  return /^\s*$/.test(line);
}

export function indentOf(line: string): number {
  let at = 0;
  while (line.charCodeAt(at) === 32) at++;
  return at;
}

/** Ends a paragraph without a blank line before it. A numbered list does so only when it begins with 1. */
export function interrupts(line: string): boolean {
  if (isHeading(line) || isQuote(line) || isRule(line) || fenceOf(line)) return true;
  const marker = markerOf(line);
  return (
    marker !== undefined &&
    marker.indent < 4 &&
    line.trimEnd().length > marker.content &&
    startsAList(marker.mark)
  );
}

function startsAList(mark: string): boolean {
  return !/\d/.test(mark) || /^1[.)]$/.test(mark);
}

function isAll(text: string, character: string): boolean {
  for (const one of text) if (one !== character) return false;
  return text !== '';
}
