import type { Session } from '../session/session.ts';
import type { View } from '../view/index.ts';
import { isUnderWay, type WorkRow, workRows } from './panels/rows.ts';
import { showLine } from './text/index.ts';

const mostNamed = 5;

/** What would be ended by leaving, or of it only what `ends`, in words; empty where nothing runs. */
export function stillRunning(view: View, ends: (row: WorkRow) => boolean = () => true): string {
  const names = workRows(view).filter(isUnderWay).filter(ends).map(nameOf);
  const all = [...(view.session.runStartedAt === null ? [] : ['the turn']), ...names];
  if (all.length === 0) return '';
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : '';
  return `; it ends ${all.slice(0, mostNamed).join(', ')}${more}`;
}

function nameOf(row: WorkRow): string {
  if (row.kind === 'task') return showLine(row.task.description, 60);
  return showLine(`${row.agent.type} (${row.agent.description})`, 80);
}

/** The last words, for the shell that comes after. */
export function farewell(session: Session, view: View, isPassing: boolean): string {
  const { id, transcriptPath } = session.info();
  const ended = stillRunning(view).replace(/^; it ends /, '');
  const wasSaid = view.lead.entries.length > 0 && transcriptPath !== null && !isPassing;
  return [
    ...(ended === '' ? [] : [`Ended: ${ended}`]),
    ...(wasSaid ? [`Go on with it: cadre --resume ${id}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
