import type { AttachedSession } from '../../session/attached/attached-session.ts';
import type { ShownSession } from '../../session/attached/shown-session.ts';
import type { View } from '../../view/index.ts';
import { isUnderWay, type WorkRow, workRows } from '../panels/rows.ts';
import { showLine } from '../text/index.ts';

const maxNamed = 5;

/** The work that leaving would stop (or the part of it that `ends` picks), in words; empty if nothing runs. */
export function stillRunning(view: View, ends: (row: WorkRow) => boolean = () => true): string {
  const all = runningWork(view, ends).map(({ name }) => name);
  if (all.length === 0) return '';
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : '';
  return `; this stops ${all.slice(0, maxNamed).join(', ')}${more}`;
}

/** The same one by one. Each turn differs from the one before it. */
export function runningWork(
  view: View,
  ends: (row: WorkRow) => boolean = () => true,
): { id: string; name: string }[] {
  const { runStartedAt } = view.session;
  return [
    ...(runStartedAt === null ? [] : [{ id: `turn ${runStartedAt}`, name: 'the turn' }]),
    ...workRows(view)
      .filter((row) => row.kind !== 'call' && isUnderWay(row) && ends(row))
      .map((row) => ({ id: row.id, name: formatRowName(row) })),
  ];
}

function formatRowName(row: WorkRow): string {
  if (row.kind === 'member') return showLine(row.member.name, 80);
  if (row.kind === 'call') return showLine(row.call.label, 80);
  if (row.kind === 'task') return showLine(row.task.description, 60);
  return showLine(`${row.agent.type} (${row.agent.description})`, 80);
}

/** The same for a session that another process has. */
export async function partingWords({ id, ended }: AttachedSession): Promise<string> {
  const end = await Promise.race([ended, Promise.resolve(undefined)]);
  if (!end) return `The session keeps running. Attach again: cadre attach ${id}\n`;
  const why = 'message' in end ? ` ${end.message}` : '';
  return end.kind === 'closed'
    ? `The session has ended. Resume it: cadre --resume ${id}\n`
    : `The connection to the session is lost.${why} Attach again: cadre attach ${id}\n`;
}

/** The last words, for the shell that follows. */
export function farewell(session: ShownSession, view: View, isPassing: boolean): string {
  const { id, transcriptPath } = session.info();
  const ended = stillRunning(view).replace(/^; this stops /, '');
  const wasSaid = view.lead.entries.length > 0 && transcriptPath !== null && !isPassing;
  return [
    ...(ended === '' ? [] : [`Stopped: ${ended}`]),
    ...(wasSaid ? [`Resume it: cadre --resume ${id}`] : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}
