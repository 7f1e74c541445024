import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import type { Clock } from '../../lib/clock.ts';
import { formatJson } from '../../lib/fields/parse-json.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import type { RewindProgress } from '../../rewind/put-all-back.ts';
import { describeProgress, type RewindReport, type RewindWish } from '../../rewind/report.ts';
import { loadSettled, performRewind, previewRewind } from '../../rewind/rewind.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { type Checkpoint, readCheckpoints } from '../../store/checkpoints.ts';
import { findSession, type SessionSummary } from '../../store/sessions.ts';
import type { FlagsOf } from '../table/commands.ts';
import { openStoredRewind, previewPlace } from './stored.ts';
import { renderCheckpoints, renderReport } from './text.ts';

type RewindFlags = FlagsOf<'sessions rewind'>;

/** `cadre sessions rewind`: without `--to` lists the points, with it goes back to one. */
export async function rewindSession(session: string, flags: RewindFlags): Promise<number | Result<never>> {
  const io = processIo();
  const around = lookAround({});
  const found = await findSession(around.layout, session);
  if (!found.ok) return found;
  const loaded = await loadSettled(previewPlace(found.value, around, flags.addDir ?? []));
  if (!loaded.ok) return loaded;
  const points = readCheckpoints(loaded.value.records);
  if (flags.to === undefined) return show(io, flags, points, renderCheckpoints(points, found.value.id));
  const to = findCheckpoint(flags.to, points, found.value.id);
  if (!to.ok) return to;
  const wish = { to: to.value, what: chooseParts(flags), force: flags.force };
  const report = await goBack(found.value, around, wish, flags, createProgress(io, around.clock));
  if (!report.ok) return report;
  const text = renderReport(report.value, {
    session: found.value.id,
    isDryRun: flags.dryRun === true,
    isVerbose: flags.verbose === true,
  });
  const shown = await show(io, flags, report.value, text);
  const isWhole = report.value.refused.length === 0 && !report.value.isIncomplete;
  return flags.dryRun || isWhole ? shown : 1;
}

async function show(io: Io, { json }: RewindFlags, value: unknown, text: string): Promise<number> {
  return (await io.writeOut(json ? formatJson(value) : text)) ? 0 : 1;
}

/** By its number in the list, by its uuid or the beginning of one. A prompt removed by a rewind has a uuid too. */
function findCheckpoint(wanted: string, points: readonly Checkpoint[], session: string): Result<string> {
  const hint = `cadre sessions rewind ${session} lists them.`;
  if (/^\d{1,6}$/.test(wanted)) {
    const point = points[Number(wanted) - 1];
    return point ? ok(point.uuid) : usage(`--to ${wanted}: ${howMany(points.length)} to go back to.`, hint);
  }
  const matches = points.filter(({ uuid }) => uuid.startsWith(wanted));
  if (matches.length > 1) return usage(`--to ${wanted}: matches ${matches.length} of them.`, hint);
  return ok(matches[0]?.uuid ?? wanted);
}

function howMany(points: number): string {
  return points === 1 ? 'there is one point' : `there are ${points} points`;
}

function chooseParts({ files, conversation }: RewindFlags): RewindWish['what'] {
  if (files === conversation) return 'both';
  return files ? 'files' : 'conversation';
}

async function goBack(
  session: SessionSummary,
  around: Surroundings,
  wish: RewindWish,
  { dryRun, addDir = [] }: RewindFlags,
  onProgress: RewindProgress,
): Promise<Result<RewindReport>> {
  if (dryRun) return previewRewind(previewPlace(session, around, addDir), wish);
  const opened = openStoredRewind(session, around, addDir);
  if (!opened.ok) return opened;
  try {
    const done = await performRewind(opened.value.place, wish, onProgress);
    return done.ok ? ok(done.value.report) : done;
  } finally {
    opened.value.close();
  }
}

const progressMs = 1_000;

/** A line per second, for a waiting user; programs read the report. */
function createProgress({ errorIsTerminal, writeErr }: Io, clock: Clock): RewindProgress {
  let shownAt = clock.monotonic();
  return (done, of) => {
    const now = clock.monotonic();
    if (!errorIsTerminal || now - shownAt < progressMs) return;
    shownAt = now;
    writeErr(`${describeProgress(done, of)}\n`);
  };
}
