import { closeSync } from 'node:fs';
import { describeFileError } from '../../lib/files/files.ts';
import { openHash } from '../../lib/hash.ts';
import type { ProcessEnd } from '../../lib/processes/process.ts';
import type { StreamMask } from '../../lib/secrets/secrets.ts';
import { visibleLine } from '../../lib/text/text.ts';
import type { FileWatch } from '../../protocol/lease.ts';
import type { TaskEnd, TaskHandle, TaskSpec } from '../../protocol/task.ts';
import { type ToolContext, type ToolResult, textResult } from '../../protocol/tool.ts';
import { type DirectoryWatch, forgetDirectory } from './directory.ts';
import { describeLostOutput, openForAppending, readBounded, type ShellOutput, writeAll } from './output.ts';
import { describeShell, type RunningShell, startShell } from './process.ts';
import { makeReceipt } from './result.ts';
import { offenceReason, watchConfined } from './watch-confined.ts';

export interface BackgroundCommand {
  command: string;
  description?: string | undefined;
  /** None unless given: a server may run as long as the session. */
  timeout?: number | undefined;
}

/** How much of the output is reported when the task ends; all of it stays in the task's file. */
const maxTold = 4000;

/** Hands the command over to a task and returns at once. */
export function startInBackground(input: BackgroundCommand, context: ToolContext): ToolResult {
  const task = spawnCommand(input, context);
  // A sub-agent's end is reported once its commands have ended, so one that it forgets would delay that.
  const stop =
    context.agentId === null ? '' : ' If you do not need that, stop it with TaskStop before you finish.';
  return textResult(
    `Running in the background as task ${task.id}. Output goes to ${task.outputFile}. You will be notified when it ends.${stop}`,
    { backgroundTaskId: task.id, outputFile: task.outputFile },
  );
}

export function spawnCommand(input: BackgroundCommand, context: ToolContext): TaskHandle {
  const cwd = context.directory.current;
  return spawnShellTask(input, context, ({ outputFile, signal }) =>
    runToEnd(input, context, { cwd, outputFile, signal }),
  );
}

/** A command that the agent has waited for until now. */
export interface ForegroundCommand extends Pick<Followed, 'cwd' | 'running' | 'mask' | 'touching'> {
  output: ShellOutput;
  directory: DirectoryWatch;
}

/** Turns a running command into a task: without a time limit, and no longer stopped with the turn. */
export function moveToBackground(
  input: BackgroundCommand,
  context: ToolContext,
  { cwd, running, mask, touching, output, directory }: ForegroundCommand,
): TaskHandle {
  return spawnShellTask(input, context, async ({ outputFile, signal }) => {
    running.goOnUnder(signal);
    output.moveTo(outputFile);
    const add = (chunk: Uint8Array) => output.add(chunk);
    const measure = () => ({ digest: output.digest(), bytes: output.size() });
    const followed = { cwd, running, mask, touching, outputFile, add, measure, close: () => output.close() };
    const end = await follow(followed, context);
    forgetDirectory(directory);
    return end;
  });
}

export function movedResult({ id, outputFile }: TaskHandle): ToolResult {
  return textResult(
    `The user moved this to the background: it keeps running as task ${id}, without a time limit. All of its output goes to ${outputFile}. You will be notified when it ends.`,
    { backgroundTaskId: id, outputFile, backgroundedByUser: true },
  );
}

function spawnShellTask(input: BackgroundCommand, context: ToolContext, run: TaskSpec['run']): TaskHandle {
  return context.tasks.spawn({
    kind: 'local_bash',
    description: input.description ?? visibleLine(input.command, 100),
    owner: context.agentId,
    toolUseId: context.toolUseId,
    background: true,
    run,
  });
}

async function runToEnd(
  input: BackgroundCommand,
  context: ToolContext,
  task: { cwd: string; outputFile: string; signal: AbortSignal },
): Promise<TaskEnd> {
  const shell = await describeShell(context);
  let output: number;
  try {
    output = openForAppending(task.outputFile);
  } catch (error) {
    const reason = describeFileError(error, task.outputFile, 'write').message;
    return { status: 'failed', text: '', reason };
  }
  const mask = context.secrets?.openStream();
  const hash = openHash();
  let bytes = 0;
  const add = (chunk: Uint8Array) => {
    hash.update(chunk);
    bytes += chunk.length;
    append(output, chunk);
  };
  const touching = context.leases?.watch(context.toolUseId);
  const running = await startShell({
    ...shell,
    ...{ command: input.command, cwd: task.cwd, signal: task.signal, timeoutMs: input.timeout },
    output: (chunk) => add(mask?.add(chunk) ?? chunk),
  });
  return follow(
    {
      ...{ cwd: task.cwd, running, mask, touching, outputFile: task.outputFile },
      add,
      measure: () => ({ digest: hash.digest(), bytes }),
      close: () => closeSync(output),
    },
    context,
  );
}

interface Followed {
  /** Where it started. */
  cwd: string;
  running: RunningShell;
  mask: StreamMask | undefined;
  touching: FileWatch | undefined;
  outputFile: string;
  add(chunk: Uint8Array): void;
  /** Of its output, at its end. */
  measure(): { digest: string; bytes: number };
  close(): void;
}

async function follow(
  { cwd, running, mask, touching, outputFile, add, measure, close }: Followed,
  { clock }: ToolContext,
): Promise<TaskEnd> {
  const watched = watchConfined(running, clock);
  const end = await running.ended;
  const offended = watched.end();
  if (mask) add(mask.end());
  close();
  const { text } = readBounded(outputFile, maxTold);
  const lost = describeLostOutput(outputFile);
  const refused = running.confined?.finish({ failed: end.code !== 0, output: text, code: end.code }) ?? [];
  const notes = [...(lost === undefined ? [] : [lost]), ...refused, ...(touching?.end() ?? [])];
  const status = offended ? offence : describeEnd(end);
  const receipt = makeReceipt(cwd, end, { ...measure(), file: outputFile }, clock);
  return { ...status, text: [text, ...notes.map((note) => `[${note}]`)].join('\n').trimStart(), receipt };
}

const offence = { status: 'failed', reason: offenceReason } as const;

/** A full disk costs output, not the command. */
function append(file: number, chunk: Uint8Array): void {
  try {
    writeAll(file, chunk);
  } catch {}
}

function describeEnd(end: ProcessEnd): Pick<TaskEnd, 'status' | 'reason'> {
  if (end.problem !== undefined) return { status: 'failed', reason: end.problem };
  if (end.killed) return { status: 'killed', reason: 'It was stopped.' };
  if (end.timedOut) return { status: 'failed', reason: 'It timed out.' };
  if (end.code === 0) return { status: 'completed' };
  return {
    status: 'failed',
    reason: end.code === null ? `Ended by signal ${end.signal}` : `Exit code ${end.code}`,
  };
}
