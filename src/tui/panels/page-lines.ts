import type { Drawing } from '../drawing.ts';
import { styled } from '../screen/layout.ts';
import { showControls, width, wrap, wrapColumns } from '../text/index.ts';

/**
 * The text of a page, or of the preview of a list, as it is drawn: headings stand out, what names a value is dim, and a value that
 * does not fit continues below itself.
 */
export function pageLines(text: string, drawing: Drawing): string[] {
  const lines = showControls(text).split('\n');
  return lines.flatMap((line, at) => {
    if (isHeading(lines, at)) return wrap(line, drawing.width).map((one) => styled(drawing, 'strong', one));
    const [, label = '', value = ''] = labelled.exec(line) ?? [];
    if (label !== '') return labelledLines(label, value, drawing);
    const [, indent = '', name = '', rest = ''] = entry.exec(line) ?? [];
    return name === '' ? wrapColumns(line, drawing.width) : entryLines(indent, name, rest, drawing);
  });
}

/** `Model: sonnet` */
const labelled = /^([A-Z][a-z ]{1,14}: +)(?=\S)(.*)$/;
/** `  ctrl-o   opens all of it`, below a heading. */
const entry = /^( {2})(\S(?:.*?\S)?)( {2,}\S.*)$/;

/** The first line, if an empty one follows, and a line above an indented one. */
function isHeading(lines: readonly string[], at: number): boolean {
  const [line = '', next = ''] = [lines[at], lines[at + 1]];
  if (line === '' || /^\s|[.:]$/.test(line)) return false;
  return (
    (at === 0 && next === '' && lines.length > 1) ||
    (/^ {2}\S/.test(next) && (at === 0 || lines[at - 1] === ''))
  );
}

function labelledLines(label: string, value: string, drawing: Drawing): string[] {
  const indent = drawing.width - width(label) < minColumn ? '' : ' '.repeat(width(label));
  return wrap(styled(drawing, 'dim', label) + value, drawing.width, { indent });
}

const minColumn = 12;
/** A narrower column of explanations is useless: they go below their names. */
const minWords = 20;

function entryLines(indent: string, name: string, rest: string, drawing: Drawing): string[] {
  const painted = indent + styled(drawing, 'code', name);
  const words = rest.trim();
  const isWide = drawing.width - width(indent + name) - (rest.length - words.length) >= minWords;
  const isTable = / {2}/.test(words);
  if (isWide || isTable) return wrapColumns(painted + rest, drawing.width);
  if (width(`${indent}${name}  ${words}`) <= drawing.width) return [`${painted}  ${words}`];
  return [painted, ...wrap(`    ${words}`, drawing.width, { indent: '    ' })];
}
