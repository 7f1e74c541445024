import { isAtWork } from '../../view/index.ts';
import type { Desk } from '../desk.ts';
import { isEmpty } from '../editor/index.ts';
import type { Key } from '../keys/key.ts';
import { showLine } from '../text/index.ts';
import { openRow } from './open-row.ts';
import { listRoster } from './roster-lines.ts';
import { findSelected, tasksPanel, type WorkRow } from './rows.ts';

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
