import { closeSync } from 'node:fs';
import { linkAbort } from '../../lib/abort.ts';
import { describeFileError } from '../../lib/files/files.ts';
import { RateBudget } from '../../lib/rate-budget.ts';
import type { RunningTask, TaskEnd, TaskHandle } from '../../protocol/task.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { openForAppending, writeAll } from '../bash/output.ts';
import { describeShell, startShell } from '../bash/process.ts';
import { offenceReason, watchConfined } from '../bash/watch-confined.ts';
import { MonitorEvents } from './monitor-events.ts';
import type { MonitorInput, WatchServer } from './monitor-schema.ts';

/** A longer line is reported in pieces. */
const maxLineLength = 64 * 1024;
/** More is not kept: an endless stream matters for its events. */
const maxKept = 64 * 1024 * 1024;
/** Lines, and each additional kilobyte. A faster stream is not a series of events. */
const maxEvents = { perSecond: 2_000, burst: 50_000 };

/** Hands the monitoring over to a task and returns at once. */
export function startMonitor(
  input: MonitorInput,
  timeoutMs: number,
  context: ToolContext,
  watch: WatchServer | undefined,
): TaskHandle {
  const cwd = context.directory.current;
  return context.tasks.spawn({
    kind: 'monitor_mcp',
    description: input.description,
    owner: context.agentId,
    toolUseId: context.toolUseId,
    background: true,
    run: (task) => run(input, timeoutMs, { ...context, cwd }, task, watch),
  });
}

async function run(
  input: MonitorInput,
  timeoutMs: number,
  context: ToolContext & { cwd: string },
  task: RunningTask,
  watch: WatchServer | undefined,
): Promise<TaskEnd> {
  let file: number;
  try {
    file = openForAppending(task.outputFile);
  } catch (error) {
    return { status: 'failed', text: '', reason: describeFileError(error, task.outputFile, 'write').message };
  }
  const end = new AbortController();
  const unlink = linkAbort(task.signal, end);
  let why: string | undefined;
  const stop = (reason: string) => {
    why ??= reason;
    end.abort();
  };
  const cancel = context.clock.after(timeoutMs, () =>
    stop(`The time limit of ${Math.round(timeoutMs / 1000)} s was reached.`),
  );
  let count = 0;
  let kept = 0;
  const events = new MonitorEvents(
    context.clock,
    (text) => task.tell(text),
    () => stop('There were too many events; watch for something rarer.'),
  );
  const budget = new RateBudget(context.clock, maxEvents);
  const note = (texts: readonly string[], size: number) => {
    if (why !== undefined) return;
    count += texts.length;
    kept += size;
    if (kept <= maxKept && texts.length > 0) append(file, `${texts.join('\n')}\n`);
    for (const text of texts) events.add(text);
    if (!budget.spend(texts.length + size / 1024))
      stop('There were too many events at once; watch for something rarer.');
  };
  try {
    const problem =
      input.command === undefined
        ? await watch?.(
            { server: input.server ?? '', uri: input.uri },
            (text) => note([text], text.length),
            end.signal,
          )
        : await watchCommand(input.command, context, note, end.signal);
    events.flush();
    const text = `${count} event${count === 1 ? '' : 's'}.${why === undefined ? '' : ` ${why}`}`;
    return problem === undefined || why !== undefined
      ? { status: 'completed', text }
      : { status: 'failed', text, reason: problem };
  } finally {
    cancel();
    unlink();
    closeSync(file);
  }
}

/** Each line is an event, including stderr, which is often the only explanation. */
async function watchCommand(
  command: string,
  context: ToolContext & { cwd: string },
  note: (lines: readonly string[], size: number) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  const shell = await describeShell(context);
  const decoder = new TextDecoder();
  let open = '';
  const take = (text: string) => {
    open += text;
    const lines = open.split('\n');
    open = lines.pop() ?? '';
    const told = lines.filter((line) => line.trim() !== '').map((line) => line.slice(0, maxLineLength));
    if (open.length > maxLineLength) {
      told.push(open);
      open = '';
    }
    note(told, text.length);
  };
  const mask = context.secrets?.openStream();
  const touching = context.leases?.watch(context.toolUseId);
  const running = await startShell({
    ...shell,
    ...{ command, cwd: context.cwd, signal },
    output: (chunk) => {
      if (!signal.aborted) take(decoder.decode(mask?.add(chunk) ?? chunk, { stream: true }));
    },
    // However much it prints, others run after each piece.
    pace: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const watched = watchConfined(running, context.clock);
  const ended = await running.ended;
  const offended = watched.end();
  if (mask) take(decoder.decode(mask.end()));
  if (open.trim() !== '') note([open], open.length);
  note(running.confined?.finish({ failed: ended.code !== 0, output: '' }) ?? [], 0);
  note(touching?.end() ?? [], 0);
  if (offended) return offenceReason;
  if (ended.problem !== undefined) return ended.problem;
  if (ended.killed || ended.code === 0) return undefined;
  return ended.code === null ? `Ended by signal ${ended.signal}` : `Exit code ${ended.code}`;
}

/** A full disk costs the stored output, not the monitoring. */
function append(file: number, text: string): void {
  try {
    writeAll(file, Buffer.from(text));
  } catch {}
}
