import { showControls } from '../text/controls.ts';
import { graphemes, width as measureWidth } from '../text/width.ts';
import { truncate } from '../text/wrap.ts';
import { findLabel } from './attachments.ts';
import type { Editor } from './editor.ts';

/** A row on the screen and the part of the text that it shows. */
export interface Row {
  readonly text: string;
  readonly start: number;
  /** Without the newline, if there is one. */
  readonly end: number;
}

export interface EditorLayout {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

/** A unit that the cursor moves over as one, and how it is drawn. */
interface Unit {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
  readonly cells: number;
  readonly isBlank: boolean;
}

/** The text in rows of at most `width` cells, broken between words where possible. */
export function layoutEditor(editor: Editor, width: number): EditorLayout {
  const room = Math.max(2, Math.floor(width));
  const rows: Row[] = [];
  let start = 0;
  for (const line of editor.text.split('\n')) {
    rows.push(...layoutLine(splitUnits(editor, line, start, room), start, start + line.length, room));
    start += line.length + 1;
  }
  return placeCursor(editor, rows, room);
}

/** The place in a row that is nearest to a column. */
export function findPlace(editor: Editor, row: Row, column: number, width: number): number {
  let used = 0;
  for (const unit of splitUnits(
    editor,
    editor.text.slice(row.start, row.end),
    row.start,
    Math.max(2, width),
  )) {
    if (used + unit.cells > column) return unit.start;
    used += unit.cells;
  }
  return row.end;
}

function splitUnits(editor: Editor, line: string, offset: number, room: number): Unit[] {
  let start = offset;
  return graphemes(line).map((text) => {
    const isPlain = text.length === 1 && text >= ' ' && text <= '~';
    const shown = isPlain ? text : showUnit(editor, text, room);
    const cells = isPlain ? 1 : measureWidth(shown);
    const unit = { start, end: start + text.length, shown, cells, isBlank: text === ' ' };
    start = unit.end;
    return unit;
  });
}

/** A tab has a fixed width here: a prompt has no columns to line up. */
function showUnit(editor: Editor, text: string, room: number): string {
  if (text === '\t') return truncate('    ', room);
  return truncate(findLabel(editor.attachments, text) ?? showControls(text, 'prose'), room);
}

function layoutLine(units: readonly Unit[], start: number, end: number, room: number): Row[] {
  const rows: Row[] = [];
  let first = 0;
  let used = 0;
  /** The unit after the last blank of the row. */
  let breakAt = 0;
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (!unit) break;
    while (used + unit.cells > room && at > first) {
      const next = breakAt > first && !unit.isBlank ? breakAt : at;
      rows.push(buildRow(units.slice(first, next), start));
      first = next;
      used = units.slice(first, at).reduce((sum, one) => sum + one.cells, 0);
    }
    used += unit.cells;
    if (unit.isBlank) breakAt = at + 1;
  }
  const last = buildRow(units.slice(first), first === 0 ? start : (units[first]?.start ?? end));
  return [...rows, last];
}

function buildRow(units: readonly Unit[], start: number): Row {
  const [first] = units;
  return {
    text: units.map((unit) => unit.shown).join(''),
    start: first?.start ?? start,
    end: units.at(-1)?.end ?? first?.end ?? start,
  };
}

/** A full row has no cell left for the cursor, so it moves to the start of the next. */
function placeCursor(editor: Editor, rows: Row[], room: number): EditorLayout {
  const row = rows.findLastIndex((one) => one.start <= editor.cursor);
  const found = rows[row] ?? { text: '', start: 0, end: 0 };
  const before = editor.text.slice(found.start, editor.cursor);
  const column = splitUnits(editor, before, found.start, room).reduce((sum, unit) => sum + unit.cells, 0);
  if (column < room) return { rows, cursor: { row, column } };
  const next = { text: '', start: found.end, end: found.end };
  return { rows: rows.toSpliced(row + 1, 0, next), cursor: { row: row + 1, column: 0 } };
}
