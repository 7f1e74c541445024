import type { Drawing } from '../drawing.ts';
import { countLines } from '../screen/count-lines.ts';
import { spoken, styled } from '../screen/layout.ts';
import type { Panel, ScreenState } from '../state.ts';
import { renderDiff, shortenPlaces, showLine, truncate } from '../text/index.ts';
import type { ChangeCache, ComparedFile } from './compared-file.ts';
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

export function drawChanges({ files, cache }: ChangesPanel, rows: number, drawing: Drawing): ChangesDrawn {
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
  const foot = footLines('[ ] files · up and down scroll · esc goes back', state, drawing, 1);
  const body = [styled(drawing, 'heading', title), '', ...lines.slice(from, from + page)];
  return [...fill(body, height - foot.length, drawing), ...foot];
}
