import { breather } from '../lib/breathe.ts';
import type { Clock } from '../lib/clock.ts';
import { failure, ok, type Result } from '../lib/result.ts';
import { SyncBatch } from '../lib/sync-batch.ts';
import type { FileContent, FileHistory } from '../protocol/index.ts';
import { linkTarget } from '../store/files/file-look.ts';
import { readKept } from '../store/files/kept-bytes.ts';
import { forgetBytes, lookAt, type Present, readSeen } from '../store/files/present-file.ts';
import { describeFailure, movedMeanwhile, putBack } from '../store/files/put-back.ts';
import type { FilePlan } from '../store/files/rewind-files.ts';

/** A file that stays as it is; `reason` completes "Cannot restore …: ". */
export interface NotPutBack {
  path: string;
  reason: string;
}

interface Place {
  history: FileHistory;
  files: { fileHistory: string };
  clock: Clock;
}

/** Number of files done, and the total. */
export type RewindProgress = (done: number, of: number) => void;

/** More often is of no use to a progress display. */
const progressMs = 100;

/** Removals first, since they may be in the way of files that come back. Everything is on disk when this returns. */
export async function putAllBack(
  place: Place,
  rewindId: string,
  plans: readonly FilePlan[],
  onProgress: RewindProgress = () => {},
): Promise<NotPutBack[]> {
  const left: NotPutBack[] = [];
  const breathe = breather();
  const batch = new SyncBatch();
  const flush = async () => {
    for (const { path, error } of await batch.flush())
      left.push({ path, reason: describeFailure(error, path) });
  };
  const ordered = [
    ...plans.filter(({ action }) => action === 'remove'),
    ...plans.filter(({ action }) => action !== 'remove'),
  ];
  let syncing: Promise<void> | undefined;
  let shownAt = Number.NEGATIVE_INFINITY;
  for (const [index, plan] of ordered.entries()) {
    const now = place.clock.monotonic();
    if (now - shownAt >= progressMs) {
      onProgress(index, ordered.length);
      shownAt = now;
    }
    const done = await putOneBack(plan, place, rewindId, batch);
    if (!done.ok) left.push({ path: plan.path, reason: done.problem.message });
    if (batch.isFull) {
      await syncing;
      // Runs beside the next ones.
      syncing = flush();
    }
    await breathe();
  }
  await syncing;
  await flush();
  return left;
}

async function putOneBack(
  plan: FilePlan,
  { history, files }: Place,
  rewindId: string,
  batch: SyncBatch,
): Promise<Result<void>> {
  const { path, target, mode } = plan;
  const present = plan.isBehind ? lookAt(path) : readSeen(path, plan.present);
  if (!present) return failure(movedMeanwhile);
  if (present.kind === 'other') return failure(present.reason);
  const wanted = readContent(target, files.fileHistory);
  if (!wanted.ok) return wanted;
  const { value } = wanted;
  const before = {
    content: pickContent(present),
    mode: present.kind === 'file' ? present.mode : undefined,
  };
  const after = { content: value, mode };
  const note = (from: State, to: State) =>
    history.keep(path, from.content, rewindId, {
      after: to.content,
      cause: 'rewind',
      mode: from.mode,
      modeAfter: to.mode,
    });
  const noted = await note(before, after);
  if (!noted.ok) return noted;
  const wish = value === null ? null : 'link' in value ? { target: value.link } : { bytes: value, mode };
  const done = putBack(path, forgetBytes(present), wish, batch);
  // Best effort: the file is not what the first record says, and counts as changed again.
  if (!done.ok) await note(after, before);
  return done;
}

interface State {
  content: FileContent;
  mode?: number;
}

function readContent(target: string | null, directory: string): Result<FileContent> {
  if (target === null) return ok(null);
  const link = linkTarget(target);
  return link === undefined ? readKept(directory, target) : ok({ link });
}

function pickContent(present: Present): FileContent {
  if (present.kind === 'file') return present.bytes;
  return present.kind === 'link' ? { link: linkTarget(present.hash) ?? '' } : null;
}
