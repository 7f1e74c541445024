import type { View } from '../../view/index.ts';
import type { Drawing } from '../drawing.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { placeLine, tableLines } from '../screen/work-table.ts';
import type { ScreenState } from '../state.ts';
import { truncate } from '../text/index.ts';
import { keysLine } from './layout.ts';
import { findSelected, isUnderWay, stopWords, type WorkRow, workRows } from './rows.ts';
import { describeWork } from './work-cells.ts';

/** Rows that leave room for the conversation. */
const maxRows = 8;

/** The team and the work that runs in the background, below the prompt; with the cursor in it, all that runs. */
export function rosterLines({ view, roster }: ScreenState, room: number, drawing: Drawing): string[] {
  if (drawing.isDumb) return [];
  const all = listRoster(view, roster !== undefined);
  const most = Math.min(maxRows, room - (roster === undefined ? 1 : 2));
  if (all.length === 0 || most < 1) return [];
  const at = roster === undefined ? 0 : findSelected(all, roster.selected);
  const from = Math.min(Math.max(0, at - most + 1), Math.max(0, all.length - most));
  const shown = all.slice(from, from + most);
  const inner = { ...drawing, width: drawing.width - 2 };
  const { rows } = tableLines(
    shown.map((row) => describeWork(view, row, inner)),
    inner,
  );
  const cut = all.length > shown.length ? [placeLine(from, shown.length, all.length, drawing)] : [];
  const marked = rows.map((row, index) => {
    const isUnder = roster !== undefined && from + index === at;
    return styled(drawing, 'accent', pointer(isUnder, drawing)) + row;
  });
  return [...marked, ...cut, ...(roster === undefined ? [] : [footLine(all[at], roster, drawing)])];
}

function footLine(row: WorkRow | undefined, { isStopping, said }: Roster, drawing: Drawing): string {
  const keys = 'return opens · x stops · ctrl-t all tasks · esc back to the prompt';
  if (!isStopping && said === undefined) return keysLine(keys, drawing);
  const words = isStopping && row ? stopWords(row) : (said ?? '');
  return styled(drawing, isStopping ? 'warning' : 'dim', truncate(spoken(drawing, words), drawing.width));
}

type Roster = NonNullable<ScreenState['roster']>;

/** With `isWhole` all that runs; otherwise what no call waits for. */
export function listRoster(view: View, isWhole: boolean): WorkRow[] {
  const underCalls = new Set(view.lead.live.calls.map(({ id }) => id));
  return workRows(view).filter((row) => {
    if (row.kind === 'member') return true;
    if (row.kind === 'call' || !isUnderWay(row)) return false;
    if (row.kind === 'task') return isWhole || row.task.kind === 'local_workflow';
    const { isBackgrounded, parent, callId } = row.agent;
    const isUnderCall = parent === null && callId !== null && underCalls.has(callId);
    return isWhole || (isBackgrounded && !isUnderCall);
  });
}
