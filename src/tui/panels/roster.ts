import { isAtWork, type View } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import type { Drawing } from '../drawing.ts';
import { isEmpty } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { pointer, spoken, styled } from '../screen/layout.ts';
import { placeLine, tableLines } from '../screen/work-table.ts';
import type { ScreenState } from '../state.ts';
import { showLine, truncate } from '../text/index.ts';
import { openRow } from './open-row.ts';
import { findSelected, isUnderWay, stopWords, tasksPanel, type WorkRow, workRows } from './rows.ts';
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
  const words = isStopping && row ? stopWords(row) : (said ?? keys);
  return styled(drawing, isStopping ? 'warning' : 'dim', truncate(spoken(drawing, words), drawing.width));
}

type Roster = NonNullable<ScreenState['roster']>;

function listRoster(view: View, isWhole: boolean): WorkRow[] {
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

/** Down in an empty prompt goes to it. False: there is nothing below. */
export function enterRoster({ app }: Desk): boolean {
  const { view, editor, asking } = app.state;
  if (!isEmpty(editor) || editor.browsing || editor.search || asking) return false;
  const [first] = listRoster(view, true);
  if (!first) return false;
  app.change({ roster: { selected: first.id } });
  return true;
}

/** True when the key was for it; any other key is for the prompt, which has the cursor again. */
export function pressRoster(desk: Desk, key: Key): boolean {
  const { app } = desk;
  const { roster, view } = app.state;
  if (!roster) return false;
  const rows = listRoster(view, true);
  const at = findSelected(rows, roster.selected);
  const row = rows[at];
  const leave = () => app.change({ roster: undefined });
  if (roster.isStopping) {
    if (row && key.text?.toLowerCase() === 'y') stop(desk, row);
    app.change({ roster: { selected: roster.selected } });
    return true;
  }
  if (!row || key.name === 'escape' || (key.name === 'up' && at === 0)) {
    leave();
    return row !== undefined;
  }
  if (key.name === 'up' || key.name === 'down') {
    const next = rows[Math.min(rows.length - 1, at + (key.name === 'up' ? -1 : 1))];
    app.change({ roster: { selected: next?.id ?? row.id } });
    return true;
  }
  if (key.name === 'return') {
    leave();
    openRow(desk, row, 'conversation');
    return true;
  }
  if (key.text === 'x' && !key.ctrl && !key.alt) {
    const canStop = row.kind !== 'member' || (row.agent !== undefined && isAtWork(row.agent.state));
    const said = `${row.kind === 'member' ? showLine(row.member.name, 60) : 'It'} does not run here.`;
    app.change({ roster: { selected: row.id, ...(canStop ? { isStopping: true } : { said }) } });
    return true;
  }
  leave();
  if (!(key.ctrl && key.name === 't')) return false;
  desk.open({ ...tasksPanel(view), selected: row.id });
  return true;
}

function stop(desk: Desk, row: WorkRow): void {
  desk.send({ type: 'stop_task', taskId: row.id });
}
