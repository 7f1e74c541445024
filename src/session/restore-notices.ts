import { visibleLine } from '../lib/text/text.ts';
import type { TaskRecord } from '../protocol/index.ts';
import { isMessage } from '../store/lineage.ts';
import type { LoadedTranscript } from '../store/transcript.ts';

/** Lines of a transcript that were passed over, of the lead or of another agent. */
export function describeFile({
  path,
  damage,
  late = [],
  broken,
}: Pick<LoadedTranscript, 'path' | 'damage' | 'late'> & { broken: readonly string[] }): string[] {
  return [...damageNotice(path, damage), ...lateNotice(path, late), ...brokenNotice(path, broken)];
}

const maxLinesNamed = 5;

function damageNotice(path: string, damage: readonly { line: number; reason: string }[]): string[] {
  if (damage.length === 0) return [];
  const named = damage.slice(0, maxLinesNamed).map(({ line, reason }) => `line ${line}: ${reason}`);
  const more = damage.length > maxLinesNamed ? `; and ${damage.length - maxLinesNamed} more lines` : '';
  return [`${path} was damaged (${named.join('; ')}${more}). Everything else was kept.`];
}

/** Written by a process that had been paused and had lost the session when it wrote. */
function lateNotice(path: string, late: readonly { line: number }[]): string[] {
  if (late.length === 0) return [];
  const lines = late.slice(0, maxLinesNamed).map(({ line }) => line);
  const more = late.length > maxLinesNamed ? ` and ${late.length - maxLinesNamed} more` : '';
  return [
    `${path}: line ${lines.join(', ')}${more} ignored, written by a process after another had taken the session over (or with a damaged epoch).`,
  ];
}

function brokenNotice(path: string, broken: readonly string[]): string[] {
  const [first] = broken;
  if (first === undefined) return [];
  const more = broken.length > 1 ? ` (and ${broken.length - 1} more like it)` : '';
  return [`${path}: ${first}${more}.`];
}

/** The session's own transcript says in each message which session it is of. */
export function renamedNotice({ path, header, records }: LoadedTranscript, id: string): string[] {
  const all = [...(header ? [header] : []), ...records.filter(isMessage)];
  const [first] = all;
  if (!first || all.some(({ sessionId }) => sessionId === id)) return [];
  return [
    `${path} was written for the session ${visibleLine(first.sessionId, 64)}: the file was renamed, copied or swapped. It continues as ${id}.`,
  ];
}

/** The one who made them is told as well. */
export function lostNotice(lost: readonly string[]): string[] {
  if (lost.length === 0) return [];
  const named = lost.slice(0, maxLinesNamed).map((id) => visibleLine(id, 64));
  const more = lost.length > maxLinesNamed ? ` and ${lost.length - maxLinesNamed} more` : '';
  return [
    `Calls had begun whose message is missing: ${named.join(', ')}${more}. Their results are unknown, and they were not run again.`,
  ];
}

/** A rewind that a crash cut off: only some of its files were restored. */
export function cutRewind(records: LoadedTranscript['records'], sessionId: string): string[] {
  const last = records.findLast((record) => record.type === 'rewind');
  if (last?.type !== 'rewind' || last.isDone || last.files === 0) return [];
  return [
    `A rewind of ${last.files} files was interrupted. Run it again: cadre sessions rewind ${sessionId} --to ${last.to} --files.`,
  ];
}

/**
 * The lead hears of its own tasks by letters. Those of other agents are reported to them when they are resumed, which may never be, and
 * dreams to no model: the user hears of these.
 */
export function endedNotice(ended: readonly TaskRecord[]): string[] {
  if (ended.length === 0) return [];
  const named = ended
    .slice(0, maxLinesNamed)
    .map(({ task }) => `${task.id} (${visibleLine(task.description, 60)})`);
  const more = ended.length > maxLinesNamed ? ` and ${ended.length - maxLinesNamed} more` : '';
  return [
    `Ended together with the session: ${named.join(', ')}${more}. The agents that started them hear of it when they are resumed.`,
  ];
}
