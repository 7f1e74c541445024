import type { Desk } from '../desk.ts';
import type { Drawing } from '../drawing.ts';
import { rank } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { stateMarks } from '../screen/work-table.ts';
import type { Panel, PickAction, PickRow, ScreenState } from '../state.ts';
import { pad, shortenPlaces, showControls, showLine, truncate, width, wrap } from '../text/index.ts';
import { fill, footLines } from './layout.ts';
import { pageLines } from './page-lines.ts';

export type PickPanel = Extract<Panel, { kind: 'pick' }>;

const maxQuery = 80;

/** The rows that the typed text finds, best first; all of them without any. */
export function findRows({ rows, query = '' }: PickPanel): readonly PickRow[] {
  if (query.trim() === '') return rows;
  const texts = rows.map(({ label, note = '' }) => `${label} ${note}`);
  return rank(query, texts, rows.length).flatMap(({ index }) => rows[index] ?? []);
}

/** From these sizes on there is room for a preview beside the list, or below it. */
const besideWidth = 96;
const belowHeight = 20;

export function pickLines(panel: PickPanel, state: ScreenState, height: number, drawing: Drawing): string[] {
  const found = findRows(panel);
  const selected = Math.min(panel.selected, Math.max(0, found.length - 1));
  const head = headLines(panel, drawing);
  const preview = found[selected]?.preview;
  const hasPreview = panel.rows.some((row) => row.preview !== undefined);
  const isBeside = hasPreview && drawing.width >= besideWidth && !drawing.plain;
  const keys = (place: string) =>
    footLines(`${place}${explainKeys(panel, found[selected])}`, state, drawing, 2);
  const room = Math.max(1, height - head.length - keys('1–1 of 1 · ').length);
  const isBelow = hasPreview && !isBeside && height >= belowHeight && !drawing.plain;
  const rows = isBelow ? Math.max(3, Math.min(found.length, Math.floor(room / 2))) : room;
  const from = Math.min(Math.max(0, selected - rows + 1), Math.max(0, found.length - rows));
  const shown = found.slice(from, from + rows);
  const place = found.length > rows ? `${from + 1}–${from + shown.length} of ${found.length} · ` : '';
  const cells = isBeside ? Math.floor(drawing.width * 0.55) : drawing.width;
  const mark = findMark(panel.rows, drawing);
  const columns = { names: measure(shown, cells, mark), mark };
  const list =
    found.length > 0
      ? shown.map((row, index) =>
          rowLine(row, from + index === selected, columns, { ...drawing, width: cells }),
        )
      : wrap(panel.rows.length === 0 ? (panel.empty ?? 'Nothing here.') : 'Nothing matches.', cells).map(
          (line) => styled(drawing, 'dim', line),
        );
  const body = isBeside
    ? beside(list, preview, cells, room, drawing)
    : [...list, ...(isBelow ? below(preview, room - list.length, drawing) : [])];
  return [...head, ...fill(body.slice(0, room), room, drawing), ...keys(place)];
}

function headLines({ title, query = '', said }: PickPanel, drawing: Drawing): string[] {
  const { places } = drawing;
  const [first = '', ...more] = shortenPlaces(showControls(title), places).split('\n');
  const about = more.flatMap((line) => wrap(line, drawing.width));
  const search =
    query === '' ? [] : [styled(drawing, 'info', truncate(`Search: ${showLine(query, 100)}`, drawing.width))];
  const notice = said === undefined ? [] : wrap(shortenPlaces(showControls(said), places), drawing.width);
  return [
    ...wrap(first, drawing.width).map((line) => styled(drawing, 'heading', line)),
    ...about.map((line) => styled(drawing, 'dim', line)),
    ...notice.map((line) => styled(drawing, 'warning', line)),
    ...search,
    '',
  ];
}

/** What the keys do with the row under the cursor. */
function explainKeys({ rows, actions = [], verb = 'chooses' }: PickPanel, row: PickRow | undefined): string {
  const own = actions.filter((action) => canRun(action, row)).map(({ key, does }) => `ctrl-${key} ${does}`);
  const search = rows.length > 1 ? ['type to search'] : [];
  return [...(row ? [`return ${verb}`] : []), ...own, ...search, 'esc goes back'].join(' · ');
}

/** The width of the names. Notes begin in one column; short ones are whole, and long ones have four tenths of the line. */
function measure(rows: readonly PickRow[], cells: number, mark: string): number {
  const room = cells - 2;
  const longest = Math.max(0, ...rows.map(({ label }) => width(showLine(label, 300))));
  const longestNote = Math.max(0, ...rows.map(noteWidth));
  return Math.min(longest + mark.length, Math.max(Math.floor(room * 0.6), room - longestNote - 2));
}

/** With the sign before it. */
function noteWidth({ note = '', state }: PickRow): number {
  return width(showLine(note, 200)) + (state === undefined ? 0 : 2);
}

/** Room before every name where one of them is marked as current. */
function findMark(rows: readonly PickRow[], { plain }: Drawing): string {
  return !plain && rows.some(({ isCurrent }) => isCurrent) ? '✓ ' : '';
}

function rowLine(
  row: PickRow,
  isUnder: boolean,
  { names, mark }: { names: number; mark: string },
  drawing: Drawing,
): string {
  const { label, note, isCurrent, state } = row;
  const before = drawing.plain ? (isCurrent ? 'current: ' : '') : isCurrent ? mark : ' '.repeat(mark.length);
  const name = before + showLine(label, 300);
  const room = drawing.width - 2;
  const more = note === undefined ? '' : spoken(drawing, shortenPlaces(showLine(note, 200), drawing.places));
  const cut = more === '' && state === undefined ? truncate(name, room) : pad(name, names);
  const line = `${pointer(isUnder, drawing)}${cut}`;
  const glyph = stateMark(state, drawing);
  const told = more === '' ? '' : styled(drawing, 'dim', `${glyph === '' ? '  ' : ' '}${more}`);
  return truncate((isUnder ? styled(drawing, 'accent', line) : line) + glyph + told, drawing.width);
}

/** How a thing is doing, before the words that say so. */
function stateMark(state: PickRow['state'], drawing: Drawing): string {
  if (state === undefined || drawing.plain) return '';
  const [glyph, style] = stateMarks[state];
  return `  ${styled(drawing, style, glyph)}`;
}

function beside(
  list: readonly string[],
  preview: string | undefined,
  cells: number,
  room: number,
  drawing: Drawing,
): string[] {
  const lines = previewLines(preview, drawing.width - cells - 3, room, drawing);
  const bar = styled(drawing, 'border', ' │ ');
  return Array.from({ length: room }, (_, at) => pad(list[at] ?? '', cells) + bar + (lines[at] ?? ''));
}

function below(preview: string | undefined, room: number, drawing: Drawing): string[] {
  if (preview === undefined || room < 3) return [];
  const rule = styled(drawing, 'border', '─'.repeat(drawing.width));
  return [rule, ...previewLines(preview, drawing.width, room - 1, drawing)];
}

function previewLines(preview: string | undefined, cells: number, room: number, drawing: Drawing): string[] {
  if (preview === undefined) return [];
  const lines = pageLines(preview, { ...drawing, width: Math.max(10, cells) });
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), styled(drawing, 'dim', `… ${lines.length - room + 1} more lines`)];
}

export function pressPick(desk: Desk, panel: PickPanel, key: Key): void {
  const found = findRows(panel);
  const { said: _, ...open } = panel;
  const selected = Math.min(panel.selected, Math.max(0, found.length - 1));
  const leap = Math.max(1, desk.app.state.rows - 8);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap },
    ...{ home: -found.length, end: found.length },
  };
  const by = steps[key.name];
  if (by !== undefined) {
    const last = Math.max(0, found.length - 1);
    return void desk.open({ ...open, selected: Math.min(Math.max(0, selected + by), last) });
  }
  const row = found[selected];
  const action = key.ctrl
    ? panel.actions?.find((one) => one.key === key.name && canRun(one, row))
    : undefined;
  if (action) return void action.run(row);
  if (key.name === 'return') {
    if (!row) return;
    if (!panel.staysOpen) desk.app.closePanel();
    return void panel.pick(row);
  }
  const query = editQuery(panel.query ?? '', key);
  if (query !== undefined) desk.open({ ...open, query, selected: 0 });
}

function canRun({ isForRow, fits }: PickAction, row: PickRow | undefined): boolean {
  return !isForRow || (row !== undefined && (fits?.(row) ?? true));
}

/** Pasted text is searched for as well. */
export function pastePick(desk: Desk, panel: PickPanel, text: string): void {
  const [line = ''] = text.split('\n');
  desk.open({ ...panel, query: `${panel.query ?? ''}${line}`.slice(0, maxQuery), selected: 0 });
}

function editQuery(query: string, key: Key): string | undefined {
  if (key.name === 'backspace') return query === '' ? undefined : [...query].slice(0, -1).join('');
  if (key.ctrl && key.name === 'u') return '';
  if (key.name !== 'text' || key.ctrl || key.alt || !key.text) return undefined;
  return `${query}${key.text}`.slice(0, maxQuery);
}
