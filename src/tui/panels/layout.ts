import type { Drawing } from '../drawing.ts';
import { spoken, styled } from '../screen/layout.ts';
import type { ScreenState } from '../state.ts';
import { truncate, width, wrap } from '../text/index.ts';

/** As many as fit, including the chosen one. */
export function around(lines: readonly string[], at: number, room: number, drawing: Drawing): string[] {
  const from = Math.min(Math.max(0, at - room + 1), Math.max(0, lines.length - room));
  return fill(lines.slice(from, from + room), room, drawing);
}

/** Empty rows are nothing to a screen reader, and to a terminal that can only print they push the rest away. */
export function fill(lines: readonly string[], height: number, { plain }: Drawing): string[] {
  if (plain) return [...lines];
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, () => '')];
}

/** Rows of key hints; a narrow screen needs more than one. */
const maxFoot = 3;

/** A waiting question, and the keys, or a sentence. Without room for all keys the last ones are left out, but never the way back. */
export function footLines(text: string, { view }: ScreenState, drawing: Drawing, most = maxFoot): string[] {
  const { length } = view.questions;
  const waits = length > 0 ? [`${length} ${length === 1 ? 'question' : 'questions'} waiting: ctrl-q`] : [];
  const rows = fitParts([...waits, ...text.split(separator)], drawing.width, most);
  return ['', ...rows.map((row) => drawRow(row, waits, drawing))];
}

/** Keys in one row, in the same way. */
export function keysLine(text: string, drawing: Drawing): string {
  const [row = []] = fitParts(text.split(separator), drawing.width, 1);
  return drawRow(row, [], drawing);
}

function fitParts(all: readonly string[], room: number, most: number): string[][] {
  let parts = all;
  while (packParts(parts, room).length > most) {
    const last = parts.findLastIndex((part) => !part.startsWith('esc ') && !part.endsWith('ctrl-q'));
    if (parts.length === 1 || last < 0) break;
    parts = parts.toSpliced(last, 1);
  }
  return packParts(parts, room).slice(0, most);
}

const separator = ' · ';

function drawRow(row: readonly string[], waits: readonly string[], drawing: Drawing): string {
  const drawn = row.map((part) => styled(drawing, waits.includes(part) ? 'warning' : 'dim', part));
  return truncate(drawn.join(styled(drawing, 'dim', spoken(drawing, separator))), drawing.width);
}

/** Rows of whole parts; a part that is longer than a row, which only a sentence is, is wrapped. */
function packParts(parts: readonly string[], room: number): string[][] {
  const rows: string[][] = [];
  let left = 0;
  for (const part of parts.flatMap((one) => wrap(one, room))) {
    const cells = width(part) + separator.length;
    const row = rows.at(-1);
    if (row && cells <= left) row.push(part);
    else rows.push([part]);
    left = (row && cells <= left ? left : room) - cells;
  }
  return rows;
}
