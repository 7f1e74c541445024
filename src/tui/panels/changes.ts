import type { Desk } from '../desk.ts';
import type { Drawing } from '../drawing.ts';
import type { Key } from '../keys/key.ts';
import { spoken, styled } from '../screen/layout.ts';
import type { ChangeCache, ComparedFile, Panel, ScreenState } from '../state.ts';
import { renderDiff, shortenPlaces, showLine, truncate } from '../text/index.ts';
import { fill, footLines } from './layout.ts';

export type ChangesPanel = Extract<Panel, { kind: 'changes' }>;

interface ChangesDrawn {
  readonly lines: readonly string[];
  /** Where each file begins. */
  readonly files: readonly number[];
  readonly page: number;
  readonly most: number;
}

/** Head and foot. */
const chromeRows = 5;

function drawChanges({ files, cache }: ChangesPanel, rows: number, drawing: Drawing): ChangesDrawn {
  const lines: string[] = [];
  const starts: number[] = [];
  for (const file of files) {
    if (lines.length > 0) lines.push('');
    starts.push(lines.length);
    for (const line of keepFile(file, cache, drawing)) lines.push(line);
  }
  const page = Math.max(1, rows - chromeRows);
  return { lines, files: starts, page, most: Math.max(0, lines.length - page) };
}

function keepFile(file: ComparedFile, cache: ChangeCache, drawing: Drawing): string[] {
  const known = cache.get(file);
  if (known?.width === drawing.width) return known.lines;
  const lines = [fileLine(file, drawing), ...bodyLines(file, drawing)];
  cache.set(file, { width: drawing.width, lines });
  return lines;
}

function fileLine(file: ComparedFile, drawing: Drawing): string {
  const { path, before, after } = file;
  const state = before === null ? ' (new)' : after === null ? ' (deleted)' : '';
  const name = truncate(showLine(shortenPlaces(path, drawing.places), 500), drawing.width - 20, 'start');
  return `${styled(drawing, 'strong', name)}${state}  ${countLines(file, drawing)}`;
}

export function countLines(
  { added, removed }: Pick<ComparedFile, 'added' | 'removed'>,
  drawing: Drawing,
): string {
  return `${styled(drawing, 'added', `+${added}`)} ${styled(drawing, 'removed', `−${removed}`)}`;
}

function bodyLines({ path, before, after, hidden }: ComparedFile, drawing: Drawing): string[] {
  if (hidden !== undefined) return [styled(drawing, 'dim', `Not shown: ${hidden}`)];
  const { width, theme, highlighter } = drawing;
  const options = { width, theme, path, isNamed: true, ...(highlighter ? { highlighter } : {}) };
  return renderDiff({ before: before ?? '', after: after ?? '' }, options);
}

export function changesLines(
  panel: ChangesPanel,
  state: ScreenState,
  height: number,
  drawing: Drawing,
): string[] {
  const { lines, page, most } = drawChanges(panel, state.rows, drawing);
  const from = Math.min(panel.down, most);
  const place = most > 0 ? ` · ${from + 1}–${from + page} of ${lines.length}` : '';
  const title = truncate(spoken(drawing, showLine(panel.title, 200) + place), drawing.width);
  const foot = footLines('esc goes back · [ ] files · up and down scroll', state, drawing, 1);
  const body = [styled(drawing, 'heading', title), '', ...lines.slice(from, from + page)];
  return [...fill(body, height - foot.length, drawing), ...foot];
}

export function pressChanges(desk: Desk, panel: ChangesPanel, key: Key): void {
  const { files, page, most } = drawChanges(panel, desk.app.state.rows, desk.app.drawing());
  const from = Math.min(panel.down, most);
  const leap = Math.max(1, page - 1);
  const steps: Record<string, number> = {
    ...{ up: -1, down: 1, pageup: -leap, pagedown: leap, home: -most, end: most },
    ...{ ' ': leap, g: -most, G: most },
  };
  const name = key.name === 'text' && !key.ctrl && !key.alt ? (key.text ?? '') : key.name;
  const next =
    name === ']'
      ? files.find((at) => at > from)
      : name === '['
        ? files.findLast((at) => at < from)
        : undefined;
  const to = next ?? from + (steps[name] ?? 0);
  if (to !== from) desk.open({ ...panel, down: Math.min(Math.max(0, to), most) });
}
