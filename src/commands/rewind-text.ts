import { visible } from '../lib/text.ts';
import type { RewindReport } from '../session/rewind-report.ts';
import { type Checkpoint, describeFilesChanged } from '../store/checkpoints.ts';

export function renderCheckpoints(points: readonly Checkpoint[], session: string): string {
  if (points.length === 0) return 'There is no prompt in this session to go back to.\n';
  const width = String(points.length).length;
  const lines = points.map(
    (point, index) =>
      `${String(index + 1).padStart(width)}  ${point.at.slice(0, 16).replace('T', ' ')}  ${point.uuid.slice(0, 8)}  ${describeFilesChanged(point).padStart(10)}  ${point.text}\n`,
  );
  return `${lines.join('')}\nGo back to one: cadre sessions rewind ${session} --to N [--files|--conversation] [--dry-run]\n`;
}

/** Paths come from a transcript: whatever is in them is shown, not obeyed. */
export function renderReport(report: RewindReport, isDryRun: boolean, session: string): string {
  const { to, what, restored, removed, refused, copies, beyond, unchanged } = report;
  const would = isDryRun ? 'would be ' : '';
  const point = to.kind === 'rewind' ? 'how it was before the last rewind' : `“${to.text}”`;
  const conversation =
    what === 'files' ? 'stays as it is' : `${isDryRun ? 'would be' : 'is'} back at ${point}`;
  const isForceable = refused.some(({ needsForce }) => needsForce);
  const lines = [
    `The conversation ${conversation}.`,
    ...restored.map((path) => `${would}restored: ${path}`),
    ...removed.map((path) => `${would}removed: ${path}`),
    ...copies.map(({ path, copy }) => `what ${path} held ${isDryRun ? 'would be' : 'is'} in ${copy}`),
    ...refused.map(({ path, reason }) => `not restored: ${path}: ${reason}`),
    ...(what === 'conversation'
      ? []
      : filesSummary(restored.length + removed.length + refused.length, unchanged, beyond.length > 0)),
    ...beyond,
    ...(isForceable
      ? ['With --force those that somebody else changed are restored too, and kept first.']
      : []),
    ...(isDryRun ? [] : [`Undo: cadre sessions rewind ${session} lists this rewind last.`]),
  ];
  return `${lines.map(visible).join('\n')}\n`;
}

/** Where no file is named above. */
function filesSummary(named: number, unchanged: number, isMore: boolean): string[] {
  if (named > 0) return [];
  if (unchanged > 0) return ['All changed files hold what they held then already.'];
  return [isMore ? 'No changes are known that could be undone.' : 'No files were changed since.'];
}
