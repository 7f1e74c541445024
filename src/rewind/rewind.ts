import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, timestamp } from '../lib/clock.ts';
import { statEntry } from '../lib/files/entry-at.ts';
import { holdDirectory } from '../lib/files/hold-directory.ts';
import { type Ids, randomIds } from '../lib/ids.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import type { FileHistory, FileHistoryRecord, RewindRecord, TranscriptRecord } from '../protocol/index.ts';
import { type CallsSince, callsSince, describeCalls, isIncomplete } from '../store/calls-since.ts';
import { type FoundCheckpoint, findCheckpoint, readChain } from '../store/checkpoints.ts';
import { describeFailure } from '../store/files/put-back.ts';
import { type FilePlan, planFiles } from '../store/files/rewind-files.ts';
import type { SessionLayout } from '../store/layout.ts';
import { type LoadedTranscript, loadTranscript } from '../store/transcript.ts';
import { type GitDataPlace, settleGitData } from './git-data.ts';
import { type NotPutBack, putAllBack, type RewindProgress } from './put-all-back.ts';
import { buildRewindNote, countLines, type RewindReport, type RewindWish } from './report.ts';

/** The session whose transcript and files are rewound; open or not. */
export interface RewindPlace {
  sessionId: string;
  files: SessionLayout;
  roots: readonly string[];
  /** Why a file is left alone; see `apartFrom`. */
  apart(path: string): string | undefined;
  history: FileHistory;
  /** Records changes made by commands; returns records that could not be added to the transcript. */
  settle(): Promise<TranscriptRecord[]>;
  /** Ids of calls that wait for an answer. */
  unanswered?: ReadonlySet<string>;
  append(record: TranscriptRecord): Result<void>;
  /** For git. */
  env: Record<string, string>;
  clock: Clock;
  ids: Ids;
}

interface Prepared {
  records: LoadedTranscript['records'];
  point: FoundCheckpoint;
  plans: FilePlan[];
  inTheWay: InTheWay[];
  report: RewindReport;
  calls: CallsSince;
}

/** The effects of a rewind, without changing anything. */
export async function previewRewind(place: RewindPlace, wish: RewindWish): Promise<Result<RewindReport>> {
  const prepared = await prepare(place, wish);
  if (!prepared.ok) return prepared;
  const { report, calls } = prepared.value;
  return ok(await addGitData(report, calls, { ...place, isPreview: true }));
}

/**
 * Rewinds. First the transcript records it, then each file is saved and restored: after an interruption at any moment you can
 * rewind again, to the same point or to the one before. Nothing is removed from the transcript.
 */
export async function performRewind(
  place: RewindPlace,
  wish: RewindWish,
  onProgress?: RewindProgress,
): Promise<Result<{ report: RewindReport; record: RewindRecord }>> {
  const prepared = await prepare(place, wish);
  if (!prepared.ok) return prepared;
  const { records, point, plans, inTheWay, report, calls } = prepared.value;
  const touched = plans.filter(({ action }) => action === 'restore' || action === 'remove');
  const from = readChain(records).at(-1)?.uuid ?? null;
  const record: RewindRecord = {
    type: 'rewind',
    uuid: place.ids.uuid(),
    timestamp: timestamp(place.clock),
    sessionId: place.sessionId,
    to: point.uuid,
    head: wish.what === 'files' ? undefined : point.head,
    from,
    files: touched.length,
  };
  const begun = place.append(record);
  if (!begun.ok) return begun;
  const uncleared = clearTheWay(inTheWay);
  const blocked = new Set(uncleared.map(({ path }) => path));
  const free = touched.filter(({ path }) => !blocked.has(path));
  const left = [...uncleared, ...(await putAllBack(place, record.uuid, free, onProgress))];
  const failed = new Set(left.map(({ path }) => path));
  const withGit = await addGitData(report, calls, { ...place, isPreview: false });
  const done: RewindReport = {
    ...withGit,
    restored: report.restored.filter((path) => !failed.has(path)),
    removed: report.removed.filter((path) => !failed.has(path)),
    refused: [...report.refused, ...left],
  };
  const head = record.head === undefined ? from : record.head;
  const note = buildRewindNote(done, {
    head,
    sessionId: place.sessionId,
    clock: place.clock,
    ids: place.ids,
  });
  const noted = note ? place.append(note) : ok(undefined);
  if (!noted.ok) return noted;
  const ended = place.append({ ...record, timestamp: timestamp(place.clock), isDone: true });
  return ended.ok ? ok({ report: done, record }) : ended;
}

async function prepare(place: RewindPlace, wish: RewindWish): Promise<Result<Prepared>> {
  const loaded = await loadSettled(place);
  if (!loaded.ok) return loaded;
  const { records, header } = loaded.value;
  const point = findCheckpoint(records, wish.to);
  if (!point)
    return usage(
      `There is no prompt ${wish.to} in ${place.files.transcript}.`,
      `Run cadre sessions rewind ${place.sessionId} to list the prompts.`,
    );
  const plans = wish.what === 'conversation' ? [] : planRestores(place, records, point, wish.force === true);
  const isForked = header?.forkedFrom !== undefined && point.at < header.createdAt;
  const calls = await callsSince(
    ...([records.slice(point.index), place.files.subagents, point.at, place.unanswered] as const),
  );
  const fromGit = describeFromGit(plans);
  const inTheWay = findInTheWay(listPaths(plans, 'restore'), calls.uncovered);
  const beyond = [
    ...describeGuesses(plans),
    ...fromGit,
    ...describeInTheWay(inTheWay),
    ...describeCalls(calls),
    ...(isForked
      ? [
          `Files changed before this session was forked are not restored; to restore them, rewind session ${header.forkedFrom?.sessionId}.`,
        ]
      : []),
  ];
  const { uuid, kind, at, text, prompt } = point;
  const report: RewindReport = {
    to: { uuid, kind, at, text, prompt },
    what: wish.what,
    restored: listPaths(plans, 'restore'),
    removed: listPaths(plans, 'remove'),
    unchanged: listPaths(plans, 'same').length,
    // By name, because agents that work side by side edit in any order.
    refused: plans.flatMap(describeRefusal).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    copies: plans.flatMap((plan) => findCopies(plan, place)),
    ends: [],
    beyond: wish.what === 'conversation' ? [] : beyond,
    isIncomplete: wish.what !== 'conversation' && (fromGit.length > 0 || isIncomplete(calls)),
    ...(await countLines(plans, place.files.fileHistory)),
  };
  return ok({ records, point, plans, inTheWay, report, calls });
}

/** When the files are restored: what they hold again is not lost with git's index. */
async function addGitData(
  report: RewindReport,
  calls: CallsSince,
  place: GitDataPlace,
): Promise<RewindReport> {
  if (report.what === 'conversation') return report;
  const { said, isIncomplete } = await settleGitData(calls, place);
  return {
    ...report,
    beyond: [...report.beyond, ...said],
    isIncomplete: report.isIncomplete || isIncomplete,
  };
}

/** The transcript, including all changes by commands so far. */
export async function loadSettled(
  place: Pick<RewindPlace, 'settle' | 'files'>,
): Promise<Result<LoadedTranscript>> {
  const more = await place.settle();
  const loaded = await loadTranscript(place.files.transcript);
  if (!loaded.ok) return loaded;
  const added = more.filter((record) => record.type !== 'cadre-transcript');
  return ok({ ...loaded.value, records: [...loaded.value.records, ...added] });
}

function planRestores(
  place: RewindPlace,
  records: LoadedTranscript['records'],
  { index, at }: FoundCheckpoint,
  force: boolean,
): FilePlan[] {
  const { roots, files } = place;
  const places = { directory: files.fileHistory, roots, apart: (path: string) => place.apart(path), force };
  const countPlace = (until: number) => listHistory(records.slice(0, until)).length;
  const goals = new Map(
    records.flatMap((record): [string, number][] => {
      const goal = record.type === 'rewind' ? findCheckpoint(records, record.to) : undefined;
      return goal && record.type === 'rewind' ? [[record.uuid, countPlace(goal.index)]] : [];
    }),
  );
  return planFiles(listHistory(records), { place: countPlace(index), at }, places, (id) => goals.get(id));
}

function listHistory(records: LoadedTranscript['records']): FileHistoryRecord[] {
  return records.filter((record) => record.type === 'file-history');
}

function listPaths(plans: readonly FilePlan[], action: FilePlan['action']): string[] {
  return plans.filter((plan) => plan.action === action).map(({ path }) => path);
}

const maxNamed = 5;

function describeGuesses(plans: readonly FilePlan[]): string[] {
  return describeRestored(
    plans.filter(({ isGuess }) => isGuess),
    (names) =>
      `Restored to the state before the first edit or command that changed it: ${names}. Something else changed it after this point, and its content at that time is unknown.`,
  );
}

/** A command changed them before the session had recorded their content. */
function describeFromGit(plans: readonly FilePlan[]): string[] {
  return describeRestored(
    plans.filter(({ isFromGit }) => isFromGit),
    (names) =>
      `Restored from git, as last staged or committed: ${names}. A command changed or removed them before their content was recorded; if they had other changes, those are lost.`,
  );
}

function describeRestored(plans: readonly FilePlan[], say: (names: string) => string): string[] {
  const paths = plans.filter(({ action }) => action === 'restore').map(({ path }) => path);
  if (paths.length === 0) return [];
  const more = paths.length > maxNamed ? ` and ${paths.length - maxNamed} more` : '';
  return [say(`${paths.slice(0, maxNamed).join(', ')}${more}`)];
}

function describeRefusal(plan: FilePlan): RewindReport['refused'] {
  const { action, path, reason = '', needsForce, isLink, isOutside } = plan;
  if (action !== 'refuse') return [];
  return [{ path, reason, needsForce, isLink, isOutside }];
}

/** Copies of the user's own work, so that a forced rewind can say where it is. */
function findCopies(
  { path, action, present, isOthers }: FilePlan,
  place: RewindPlace,
): RewindReport['copies'] {
  const isTouched = action === 'restore' || action === 'remove';
  if (!isOthers || !isTouched || present.kind !== 'file') return [];
  return [{ path, copy: join(place.files.fileHistory, present.hash) }];
}

/** A pipe, socket or device in the place of a file or directory that comes back, and its new name. */
interface InTheWay {
  path: string;
  to: string;
  what: 'file' | 'directory';
}

/**
 * A file that a command made in the place of a directory is removed like any other that it made. Of pipes, sockets and
 * devices nothing is recorded, so they are only renamed. `made`: paths that commands changed and that are not covered.
 */
function findInTheWay(restored: readonly string[], made: ReadonlySet<string>): InTheWay[] {
  const found = new Map<string, InTheWay['what']>();
  for (const path of restored) {
    found.set(path, 'file');
    for (let up = dirname(path); up !== dirname(up); up = dirname(up))
      if (made.has(up)) found.set(up, 'directory');
  }
  return [...found]
    .filter(([path]) => isSpecial(path))
    .map(([path, what]) => ({ path, what, to: `${basename(path)}.removed-${randomIds.token(8)}` }));
}

function describeInTheWay(found: readonly InTheWay[]): string[] {
  return found.map(
    ({ path, to, what }) =>
      `${path} is in the place of a ${what} that is restored, so it is renamed to ${to}.`,
  );
}

function clearTheWay(found: readonly InTheWay[]): NotPutBack[] {
  return found.flatMap(({ path, to }) => {
    const held = holdDirectory(dirname(path));
    if (!held.ok) return [{ path, reason: held.problem.message }];
    try {
      const here = join(held.value.path, basename(path));
      if (isSpecial(here)) renameSync(here, join(held.value.path, to));
      return [];
    } catch (error) {
      return [{ path, reason: describeFailure(error, path) }];
    } finally {
      held.value.close();
    }
  });
}

function isSpecial(path: string): boolean {
  const found = statEntry(path);
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}
