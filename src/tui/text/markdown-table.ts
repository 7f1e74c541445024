import { renderInline } from './markdown-inline.ts';
import type { Inner } from './markdown-options.ts';
import { over, plain, type Span } from './style.ts';
import { spansWidth, wrapSpans } from './wrap.ts';

type Align = 'left' | 'right' | 'center';

export interface Table {
  /** The line it starts with. */
  from: number;
  head: string[];
  align: Align[];
  rows: string[][];
  /** Rows that are not shown. */
  left: number;
}

const maxColumns = 40;
const maxRows = 500;

/** A row of names, then one of dashes with as many cells. */
export function findTable(lines: readonly string[]): Table | undefined {
  const at = lines.findIndex(
    (line, index) => index > 0 && isDashes(line) && (lines[index - 1] ?? '').includes('|'),
  );
  if (at === -1) return undefined;
  const head = splitCells(lines[at - 1] ?? '');
  const dashes = splitCells(lines[at] ?? '');
  if (head.length !== dashes.length || head.length > maxColumns) return undefined;
  const rows = lines.slice(at + 1, at + 1 + maxRows).map(splitCells);
  const left = Math.max(0, lines.length - at - 1 - maxRows);
  return { from: at - 1, head, align: dashes.map(readAlign), rows, left };
}

/** In columns as wide as needed; narrower ones wrap; if no columns fit, one row below the other. */
export function renderTable(table: Table, options: Inner): Span[][] {
  const { theme, width } = options;
  const { strong, dim } = theme.styles;
  const count = table.head.length;
  const head = table.head.map((cell) => renderInline(cell, theme, strong));
  const rows = table.rows.map((row) => head.map((_, column) => renderInline(row[column] ?? '', theme)));
  const natural = head.map((cell, column) =>
    Math.max(...[cell, ...rows.map((row) => row[column] ?? [])].map(widest), 1),
  );
  // A screen reader finds a cell by the name of its column.
  const widths = theme.words ? undefined : fitColumns(natural, width - 3 * (count - 1));
  const lines = widths
    ? renderColumns(head, rows, widths, table.align, options)
    : rows.flatMap((row, index) => [...(index === 0 ? [] : [[]]), ...renderStacked(head, row, options)]);
  return table.left === 0 ? lines : [...lines, [{ text: `… ${table.left} more rows`, style: dim }]];
}

const separator = /^ {0,3}\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

function isDashes(line: string): boolean {
  return line.length < 2000 && line.includes('-') && separator.test(line.trimEnd());
}

function splitCells(line: string): string[] {
  const trimmed = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return trimmed.split(/(?<!\\)\|/, maxColumns + 1).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function readAlign(dashes: string): Align {
  if (!dashes.endsWith(':')) return 'left';
  return dashes.startsWith(':') ? 'center' : 'right';
}

function widest(cell: readonly Span[]): number {
  const text = cell.map((span) => span.text).join('');
  return Math.max(...text.split('\n').map((line) => spansWidth([{ text: line, style: plain }])));
}

const narrowest = 6;

/** Excess width is taken from the widest columns, evenly. */
function fitColumns(natural: readonly number[], room: number): number[] | undefined {
  const needed = natural.reduce((sum, one) => sum + Math.min(one, narrowest), 0);
  if (needed > room) return undefined;
  let [low, high] = [narrowest, Math.max(narrowest, ...natural)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (natural.reduce((sum, one) => sum + Math.min(one, middle), 0) <= room) low = middle;
    else high = middle - 1;
  }
  const widths = natural.map((one) => Math.min(one, low));
  let free = room - widths.reduce((sum, one) => sum + one, 0);
  return widths.map((one, column) => {
    const more = free > 0 && one < (natural[column] ?? 0) ? 1 : 0;
    free -= more;
    return one + more;
  });
}

function renderColumns(
  head: Span[][],
  rows: Span[][][],
  widths: readonly number[],
  align: readonly Align[],
  { theme }: Inner,
): Span[][] {
  const { border } = theme.styles;
  const bar: Span = { text: ' │ ', style: border };
  const rule: Span = { text: widths.map((one) => '─'.repeat(one)).join('─┼─'), style: border };
  const renderRow = (row: Span[][]): Span[][] => {
    const cells = row.map((cell, column) => wrapSpans(cell, widths[column] ?? 1));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      cells.flatMap((cell, column) => {
        const isLast = column === cells.length - 1;
        const filled = fill(cell[line] ?? [], widths[column] ?? 1, align[column] ?? 'left', isLast);
        return isLast ? filled : [...filled, bar];
      }),
    );
  };
  return [...renderRow(head), [rule], ...rows.flatMap(renderRow)];
}

function fill(cell: Span[], columns: number, align: Align, isLast: boolean): Span[] {
  const free = Math.max(0, columns - spansWidth(cell));
  const before = align === 'left' ? 0 : align === 'right' ? free : Math.floor(free / 2);
  const blanks = (count: number): Span => ({ text: ' '.repeat(count), style: plain });
  return [blanks(before), ...cell, blanks(isLast ? 0 : free - before)];
}

function renderStacked(head: Span[][], row: Span[][], { width, theme }: Inner): Span[][] {
  return row.flatMap((cell, column) => {
    const name = (head[column] ?? []).map((span) => ({ ...span, style: over(span.style, theme.styles.dim) }));
    return wrapSpans([...name, { text: ': ', style: theme.styles.dim }, ...cell], width, { indent: '  ' });
  });
}
