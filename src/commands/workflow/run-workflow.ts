import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { complain } from '../../headless/complain.ts';
import type { Io } from '../../headless/io.ts';
import { processIo } from '../../headless/process-io.ts';
import { suspendedCode } from '../../headless/run-prompt.ts';
import { keepDefined } from '../../lib/fields/keep-defined.ts';
import { endSignals } from '../../lib/processes/end-signals.ts';
import { ok, type Result, usage } from '../../lib/result.ts';
import { formatWait } from '../../lib/text/duration.ts';
import type { TaskHandle } from '../../protocol/index.ts';
import type { RunStatus } from '../../protocol/workflow.ts';
import { openSession } from '../../session/open.ts';
import { moveTo } from '../../session/own-directory.ts';
import type { Session } from '../../session/session.ts';
import { lookAround, type Surroundings } from '../../session/surroundings.ts';
import { renderEnd } from '../../session/workflows/render-run.ts';
import type { RipgrepSource } from '../../tools/search/ripgrep.ts';
import type { JournalRecord } from '../../workflows/journal-records.ts';
import { locateRuns, readJournal } from '../../workflows/read-journal.ts';
import type { RunEnd } from '../../workflows/run-types.ts';
import type { FlagsOf } from '../table/commands.ts';
import { RunProgress } from './run-progress.ts';
import { RunStream } from './run-stream.ts';

type RunFlags = FlagsOf<'run'>;
type OpenedRecord = Extract<JournalRecord, { type: 'opened' }>;

/** `cadre run NAME|FILE`: one run in a session of its own, without a lead's turn. */
export async function runWorkflow(words: string[], flags: RunFlags, ripgrep: RipgrepSource): Promise<number> {
  const io = processIo();
  const around = lookAround({});
  const wish = readWish(words, flags, around.cwd);
  if (!wish.ok) return complain(io, wish.problem);
  const recorded = await readOpening(flags.resume, around);
  const isAttended = io.terminal !== undefined;
  const { model, wait, permissionMode, addDir, pluginDir, settings, trust } = flags;
  const { options, notices } = moveTo(
    recorded?.cwd,
    'run',
    {
      ...{ ripgrep, oneShot: true, ...findBudget(flags, recorded) },
      ...keepDefined({ model, wait, permissionMode, settings, trust }),
      ...keepDefined({ additionalDirectories: addDir, pluginDirectories: pluginDir }),
      ...(isAttended ? { attended: true, interactive: true } : {}),
    },
    around,
  );
  const opened = await openSession(options);
  if (!opened.ok) return complain(io, opened.problem);
  const session = opened.value;
  for (const notice of notices) io.writeErr(`cadre: ${notice}\n`);
  // Its end is printed here; no model needs to hear of it.
  session.beginNothing();
  const format = flags.json ? 'json' : flags.outputFormat;
  const stream = format === 'stream-json' ? new RunStream(io, session) : undefined;
  let followed: FollowedRun;
  try {
    followed = await follow(session, wish.value, flags, io, stream !== undefined);
  } finally {
    await session.close();
  }
  const { end, durationMs } = followed;
  if (!end) return followed.code;
  const isWritten = stream
    ? await stream.finish(end, durationMs)
    : await io.writeOut(format === 'json' ? `${JSON.stringify(end)}\n` : `${session.hide(renderEnd(end))}\n`);
  return followed.code !== 0 || isWritten ? followed.code : 1;
}

interface FollowedRun {
  code: number;
  /** Absent if it did not start. */
  end?: RunEnd;
  durationMs: number;
}

interface RunRequest {
  name?: string | undefined;
  file?: string | undefined;
  args?: unknown;
  argsText?: string | undefined;
  resume?: string | undefined;
}

async function follow(
  session: Session,
  wish: RunRequest,
  { rerunDiverged, yes, json }: RunFlags,
  io: Io,
  isStreamed: boolean,
): Promise<FollowedRun> {
  const { terminal } = io;
  const progress = isStreamed ? undefined : new RunProgress(io, session);
  const started = await session.spawn({ kind: 'local_workflow', ...wish, rerunDiverged, yes });
  if (!started.ok) return { code: complain(io, started.problem), durationMs: 0 };
  const task = started.value;
  const interrupt = watchSignals(task);
  const { TerminalQuestions } = terminal
    ? await import('../../headless/terminal-questions.ts')
    : { TerminalQuestions: undefined };
  const questions =
    terminal && TerminalQuestions ? new TerminalQuestions(session, terminal, interrupt.stop) : undefined;
  const startedAt = performance.now();
  const end = await session.workflows().ended(task.id);
  await task.result();
  await questions?.stop();
  await progress?.close();
  interrupt.release();
  const durationMs = performance.now() - startedAt;
  if (!end) return { code: 1, durationMs };
  if (!json && !isStreamed) io.writeErr(`run ${end.runId}: ${end.status} after ${formatWait(durationMs)}\n`);
  return { code: interrupt.code() ?? exitCodes[end.status], end, durationMs };
}

const exitCodes: Record<RunStatus, number> = {
  completed: 0,
  partial: 1,
  failed: 1,
  stopped: 1,
  suspended: suspendedCode,
  running: 1,
};

/** The first signal stops the run; it can be resumed. */
function watchSignals(task: TaskHandle) {
  let code: number | undefined;
  const end = (exitCode: number) => {
    if (code !== undefined) process.exit(exitCode);
    code = exitCode;
    void task.kill('interrupted', 'user');
  };
  const stop = () => end(130);
  const listeners = [
    ['SIGINT', stop] as const,
    ...Object.entries(endSignals).map(([signal, exit]) => [signal, () => end(exit)] as const),
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return {
    stop,
    code: () => code,
    release() {
      for (const [signal, listener] of listeners) process.off(signal, listener);
    },
  };
}

/** A name, or a file where the word looks like a path and exists. */
function readWish(
  [workflow, ...rest]: string[],
  { args, resume }: RunFlags,
  cwd: string,
): Result<RunRequest> {
  const typed = rest.join(' ');
  if (workflow === undefined && resume === undefined)
    return usage('Name a workflow, or a run with --resume.', '`cadre workflows` lists them.');
  if (args !== undefined && typed !== '')
    return usage('Give arguments either after the name, or with --args.');
  const given = args === undefined ? ok(undefined) : parseArgs(args);
  if (!given.ok) return given;
  const isFile = workflow !== undefined && /[./\\]/.test(workflow) && existsSync(workflow);
  return ok({
    // The run may continue in another directory.
    ...(workflow === undefined
      ? {}
      : isFile
        ? { file: resume === undefined ? workflow : resolve(cwd, workflow) }
        : { name: workflow }),
    ...(args === undefined ? {} : { args: given.value }),
    ...(typed === '' ? {} : { argsText: typed }),
    ...(resume === undefined ? {} : { resume }),
  });
}

function parseArgs(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return usage(`--args: expected JSON, such as {"files":["a.ts"]}; got ${text.slice(0, 100)}`);
  }
}

/** How a run was opened last; undefined for a new one, or where that cannot be read, which is said later. */
async function readOpening(
  resume: string | undefined,
  { home, machine }: Surroundings,
): Promise<OpenedRecord | undefined> {
  if (resume === undefined) return undefined;
  const recorded = await readJournal(locateRuns(home), resume, machine.disk);
  return recorded.ok ? recorded.value.records.findLast((record) => record.type === 'opened') : undefined;
}

/** A resumed run has the limits that it was started with, unless there are others now. */
function findBudget({ maxBudgetUsd, maxTokens }: RunFlags, recorded: OpenedRecord | undefined) {
  const isGiven = maxBudgetUsd !== undefined || maxTokens !== undefined;
  return isGiven ? keepDefined({ maxBudgetUsd, maxTokens }) : recorded?.budget;
}
