import { type Clock, timestamp } from '../../lib/clock.ts';
import type { ProcessEnd } from '../../lib/processes/process.ts';
import type { CommandReceipt } from '../../protocol/receipt.ts';
import type { ToolResult } from '../../protocol/tool.ts';
import type { FinishedOutput } from './output.ts';

export interface CommandEnd {
  /** Where it started. */
  cwd: string;
  end: ProcessEnd;
  output: FinishedOutput & { digest: string; bytes: number };
  timeoutMs: number;
  /** It was stopped for printing without limit. */
  isFlood: boolean;
  notes: string[];
  clock: Clock;
}

/** A command's output and how it ended, as the model reads it. */
export function describeEnd({ cwd, end, output, timeoutMs, isFlood, notes, clock }: CommandEnd): ToolResult {
  const isError = end.code !== 0 || end.timedOut || end.killed || end.problem !== undefined;
  const parts = [
    ...(isError ? [headline(end, timeoutMs, isFlood, output.text === '')] : []),
    ...(output.text === '' ? [] : [output.text]),
    ...output.notes.map(bracket),
    ...(end.leftBehind ? [bracket(leftBehind)] : []),
    ...notes.map(bracket),
  ];
  return {
    content: [{ type: 'text', text: parts.length === 0 ? '(no output)' : parts.join('\n') }],
    isError,
    receipt: makeReceipt(cwd, end, output, clock),
    data: {
      stdout: output.text,
      stderr: '',
      exitCode: end.code,
      interrupted: end.killed,
      timedOut: end.timedOut,
      ...(output.file === undefined ? {} : { outputFile: output.file }),
    },
  };
}

export function makeReceipt(
  cwd: string,
  { code, timedOut, killed }: Pick<ProcessEnd, 'code' | 'timedOut' | 'killed'>,
  output: { digest: string; bytes: number; file?: string | undefined },
  clock: Clock,
): CommandReceipt {
  return {
    cwd,
    exitCode: code,
    ...(timedOut ? { timedOut: true } : {}),
    ...(killed ? { interrupted: true } : {}),
    output: output.digest,
    outputBytes: output.bytes,
    ...(output.file === undefined ? {} : { outputFile: output.file }),
    endedAt: timestamp(clock),
  };
}

const leftBehind =
  'Processes that the command left running were stopped with it. Use run_in_background for processes that should keep running.';

function headline(end: ProcessEnd, timeoutMs: number, isFlood: boolean, isSilent: boolean): string {
  const output = isSilent ? 'No output.' : 'Output so far:';
  if (end.problem !== undefined) return `The command was not run: ${end.problem}`;
  if (end.timedOut) return `Timed out after ${timeoutMs} ms and was stopped. ${output}`;
  if (isFlood) return 'Stopped because its output would have filled the disk. Output so far:';
  if (end.killed) return `Interrupted. ${output}`;
  return end.code === null ? `Ended by signal ${end.signal}` : `Exit code ${end.code}`;
}

function bracket(note: string): string {
  return `[${note}]`;
}
