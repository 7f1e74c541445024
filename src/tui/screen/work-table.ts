import { formatCount, formatDuration, formatSpent } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pad, truncate, width } from '../text/index.ts';
import type { StyleName } from '../text/theme.ts';
import { spoken, styled } from './layout.ts';

/** What a row of work is doing, as far as it needs a sign and a colour. */
export type WorkState =
  | 'running'
  | 'asking'
  | 'waiting'
  | 'queued'
  | 'idle'
  | 'suspended'
  | 'stuck'
  | 'done'
  | 'failed'
  | 'stopped';

/** One row of a table of work: an agent, a teammate, a command, a call of a workflow. */
export interface WorkCells {
  readonly state: WorkState;
  /** The state in words. */
  readonly word: string;
  /** Painted in the agent's colour, if it is one. Nothing else in the row has that colour. */
  readonly name: string;
  readonly text: string;
  /** Rows that started it, above it. */
  readonly depth: number;
  readonly ms?: number | undefined;
  readonly tokens?: number | undefined;
  readonly cost?: { readonly microUsd: number | null; readonly heldMicroUsd?: number } | undefined;
  /** The last thing it did, or why it ended: whatever room is left. */
  readonly detail: string;
}

/** Different for each state, also without colours. */
export const stateMarks: Readonly<Record<WorkState, readonly [glyph: string, style: StyleName]>> = {
  running: ['●', 'accent'],
  asking: ['?', 'warning'],
  waiting: ['◐', 'info'],
  queued: ['◌', 'dim'],
  idle: ['○', 'dim'],
  suspended: ['◇', 'warning'],
  stuck: ['▲', 'warning'],
  done: ['✓', 'success'],
  failed: ['✗', 'error'],
  stopped: ['■', 'dim'],
};

const urgent: ReadonlySet<WorkState> = new Set(['asking', 'failed', 'suspended', 'stuck']);

/** Below this many cells a name does not tell one row from another: columns go before it. */
const minName = 18;
const minDetail = 12;
const gap = '  ';

/** The rows in columns, each at most as wide as the drawing, and the line that names the columns. */
export function tableLines(
  cells: readonly WorkCells[],
  drawing: Drawing,
): { header: string; rows: string[] } {
  if (drawing.plain) return { header: '', rows: cells.map((one) => truncate(speak(one), drawing.width)) };
  const columns = chooseColumns(cells, drawing.width);
  return {
    header: styled(drawing, 'dim', truncate(headerLine(columns), drawing.width)),
    rows: cells.map((one) => rowLine(one, columns, drawing)),
  };
}

interface Column {
  readonly title: string;
  readonly cells: number;
  readonly isNumber: boolean;
  read(row: WorkCells): string;
}

interface Columns {
  readonly name: number;
  readonly others: readonly Column[];
  readonly detail: number;
}

/** State and time stay longest; what a row did last gets the room that is left. */
function chooseColumns(cells: readonly WorkCells[], room: number): Columns {
  const measure = (read: (row: WorkCells) => string, least: number) =>
    Math.max(least, ...cells.map((row) => width(read(row))));
  const column = (title: string, isNumber: boolean, least: number, read: (row: WorkCells) => string) => ({
    ...{ title, isNumber, read },
    cells: measure(read, Math.max(title.length, least)),
  });
  const all: Column[] = [
    column('state', false, 0, ({ word }) => word),
    column('time', true, 7, readTime),
    column('tokens', true, 6, readTokens),
    column('cost', true, 6, readCost),
  ];
  const natural = Math.max(0, ...cells.map((row) => nameWidth(row)));
  const take = (others: readonly Column[]) =>
    room - 2 - others.reduce((sum, one) => sum + one.cells + gap.length, 0);
  const hasData = ({ cells: _, read }: Column) => cells.some((row) => read(row) !== '');
  let others = all.filter(hasData);
  while (others.length > 1 && take(others) < minName) others = others.slice(0, -1);
  const left = take(others);
  const hasDetail = cells.some(({ detail }) => detail !== '');
  const wanted = Math.min(natural, hasDetail ? Math.max(minName, Math.floor(room * 0.4)) : natural);
  const detail = left - Math.min(wanted, left) - gap.length;
  if (!hasDetail || detail < minDetail) return { name: Math.min(natural, left), others, detail: 0 };
  return { name: wanted, others, detail };
}

function headerLine({ name, others, detail }: Columns): string {
  const titles = others.map(({ title, cells, isNumber }) =>
    isNumber ? title.padStart(cells) : title.padEnd(cells),
  );
  const last = detail > 0 ? ['last action'] : [];
  return `  ${[''.padEnd(name), ...titles, ...last].join(gap)}`.trimEnd();
}

function rowLine(row: WorkCells, { name, others, detail }: Columns, drawing: Drawing): string {
  const [glyph, style] = stateMarks[row.state];
  const wantsLook = urgent.has(row.state);
  const indent = '  '.repeat(row.depth);
  const label = pad(
    truncate(`${row.name} ${row.text}`.trimEnd(), name - indent.length),
    name - indent.length,
  );
  const values = others.map(({ title, cells, isNumber, read }) => {
    const text = isNumber ? read(row).padStart(cells) : pad(truncate(read(row), cells), cells);
    return styled(drawing, title === 'state' && wantsLook ? style : 'dim', text);
  });
  const last =
    detail > 0 && row.detail !== ''
      ? [styled(drawing, row.state === 'failed' ? style : 'dim', row.detail)]
      : [];
  const line = `${indent}${styled(drawing, style, glyph)} ${[label, ...values, ...last].join(gap)}`;
  return truncate(line, drawing.width);
}

function nameWidth({ name, text, depth }: WorkCells): number {
  return depth * 2 + width(`${name} ${text}`.trimEnd());
}

function readTime({ ms }: WorkCells): string {
  return ms === undefined ? '' : formatDuration(ms);
}

function readTokens({ tokens = 0 }: WorkCells): string {
  return tokens > 0 ? formatCount(tokens) : '';
}

function readCost({ cost }: WorkCells): string {
  return cost && cost.microUsd !== null ? formatSpent(cost) : '';
}

/** For a screen reader: the state as a word, and every number with what it counts. */
function speak(row: WorkCells): string {
  const { name, text, word, detail } = row;
  const parts = [
    word,
    readTime(row),
    readTokens(row) === '' ? '' : `${readTokens(row)} tokens`,
    readCost(row).replace('≤ ', 'at most '),
    detail.replaceAll(' · ', ', '),
  ];
  return `${`${name} ${text}`.trim()}: ${parts.filter(Boolean).join(', ')}`;
}

/** `1–8 of 20`, for a list that is cut. */
export function placeLine(from: number, shown: number, all: number, drawing: Drawing): string {
  return styled(
    drawing,
    'dim',
    spoken(drawing, truncate(`  ${from + 1}–${from + shown} of ${all}`, drawing.width)),
  );
}
