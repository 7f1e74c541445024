import { visibleNames } from '../../lib/text/text.ts';
import type { RewindReport } from '../../rewind/report.ts';
import { type Checkpoint, describeFilesChanged } from '../../store/checkpoints.ts';

export function renderCheckpoints(points: readonly Checkpoint[], session: string): string {
  if (points.length === 0) return 'This session has no prompt to rewind to.\n';
  const width = String(points.length).length;
  const lines = points.map(
    (point, index) =>
      `${String(index + 1).padStart(width)}  ${point.at.slice(0, 16).replace('T', ' ')}  ${point.uuid.slice(0, 8)}  ${describeFilesChanged(point).padStart(10)}  ${point.text}\n`,
  );
  return `${lines.join('')}\nGo back to one: cadre sessions rewind ${session} --to N [--files|--conversation] [--dry-run]\n`;
}

export interface ReportOptions {
  session: string;
  isDryRun: boolean;
  /** Names every file, however many. */
  isVerbose: boolean;
}

/** Paths come from a transcript: control characters in them are shown, not executed. */
export function renderReport(report: RewindReport, { session, isDryRun, isVerbose }: ReportOptions): string {
  const { to, what, restored, removed, refused, copies, beyond } = report;
  const would = isDryRun ? 'would be ' : '';
  const point = to.kind === 'rewind' ? 'how it was before the last rewind' : `“${to.text}”`;
  const conversation =
    what === 'files' ? 'stays as it is' : `${isDryRun ? 'would be' : 'is'} back at ${point}`;
  const isForceable = refused.some(({ needsForce }) => needsForce);
  const hasOutside = refused.some(({ isOutside }) => isOutside);
  const max = isVerbose ? Number.POSITIVE_INFINITY : maxNamed;
  const lines = [
    `The conversation ${conversation}.`,
    ...listFiles(`${would}restored: `, restored, max),
    ...listFiles(`${would}removed: `, removed, max),
    ...listFiles(
      'copy kept: ',
      copies.map(({ path, copy }) => `${path} ${isDryRun ? 'would be' : 'is'} in ${copy}`),
      max,
    ),
    ...listFiles(
      'not restored: ',
      refused.map(({ path, reason }) => `${path}: ${reason}`),
      max,
    ),
    ...(what === 'conversation' ? [] : [summariseFiles(report, would)]),
    ...beyond,
    ...(isForceable
      ? ['With --force, files that you or another program changed are restored too; a copy of each is kept.']
      : []),
    ...(hasOutside
      ? ['With --add-dir DIRECTORY, files in that directory are restored too; it can be given several times.']
      : []),
    ...(isDryRun ? [] : [`Undo: cadre sessions rewind ${session} lists this rewind last.`]),
  ];
  return `${lines.map(visibleNames).join('\n')}\n`;
}

/** How many files of each kind are named without `--verbose`. */
const maxNamed = 20;

function listFiles(label: string, files: readonly string[], max: number): string[] {
  const more = files.length - max;
  return [
    ...files.slice(0, max).map((file) => `${label}${file}`),
    ...(more > 0 ? [`${label}and ${more} more (--verbose lists them all)`] : []),
  ];
}

function summariseFiles(
  { restored, removed, refused, unchanged, beyond, isIncomplete }: RewindReport,
  would: string,
): string {
  const counts = [
    ...countFiles(restored, `${would}restored`),
    ...countFiles(removed, `${would}removed`),
    ...countFiles(refused, 'not restored'),
  ];
  const more = isIncomplete ? ' Other files may be missing or changed: see below.' : '';
  if (counts.length > 0) return `Files: ${counts.join(', ')}.${more}`;
  if (isIncomplete) return `Files: no known changes to restore.${more}`;
  if (unchanged > 0) return 'All changed files already have their earlier content.';
  return beyond.length > 0 ? 'No files to restore are known; see below.' : 'No files were changed since.';
}

function countFiles(files: readonly unknown[], verb: string): string[] {
  return files.length === 0 ? [] : [`${files.length} ${verb}`];
}
