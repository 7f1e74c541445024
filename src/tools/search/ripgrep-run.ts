import { sleep } from '../../lib/clock.ts';
import { spawnOwned } from '../../lib/processes/process.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { releasePipes } from '../bash/release-pipes.ts';

export interface SearchEnd {
  /** True if `take` stopped it before the end. */
  isStopped: boolean;
  /** The search did not run, or not to its end. */
  isFailure: boolean;
  /** Why; a few lines at most. */
  problem?: string;
  /** Its messages about unreadable files. */
  complaints: string[];
}

export interface SearchRun {
  cwd: string;
  separator: '\n' | '\0';
  context: ToolContext;
  /** Stops it, instead of the call's signal. */
  signal?: AbortSignal;
  /** Passed as 3, 4, …; the caller closes them. */
  descriptors?: readonly number[];
  take(part: string): boolean;
}

const timeoutMs = 60_000;
/** Longer lines, which the options given below prevent, are cut. */
const maxLine = 64 * 1024;
const maxErrors = 16 * 1024;

/**
 * Runs ripgrep and passes each line, or each NUL-terminated part, to `take` until that returns false. Nothing is kept here.
 * Its messages about ignore files are dropped, since they quote those files, wherever they are.
 */
export async function search(program: string, args: readonly string[], run: SearchRun): Promise<SearchEnd> {
  for (let left = maxBusyTries; ; left--) {
    const end = await searchOnce(program, args, run);
    // Another process starting at this moment may still have the program open for writing.
    if (left === 0 || !end.problem?.includes('ETXTBSY')) return end;
    await sleep(run.context.clock, busyPauseMs);
  }
}

const [maxBusyTries, busyPauseMs] = [20, 25];

async function searchOnce(program: string, args: readonly string[], run: SearchRun): Promise<SearchEnd> {
  const parts = splitter(run.separator, run.take);
  let errors = '';
  const child = spawnOwned({
    file: program,
    args: ['--no-config', '--no-ignore-messages', '--color=never', ...args],
    cwd: run.cwd,
    // No configuration of ripgrep applies, and it runs no other program.
    env: {},
    isAlone: true,
    owner: 'cadre/search',
    clock: run.context.clock,
    signal: run.signal ?? run.context.signal,
    timeoutMs,
    ...(run.descriptors ? { descriptors: run.descriptors } : {}),
    output: (chunk) => {
      if (!parts.add(chunk)) child.kill();
    },
    errorOutput: (chunk) => {
      if (errors.length < maxErrors) errors += Buffer.from(chunk).toString('utf8');
    },
  });
  const endRelease = releasePipes(run.cwd, run.context.clock);
  const end = await child.ended.finally(endRelease);
  if (parts.isStopped()) return { isStopped: true, isFailure: false, complaints: [] };
  if (end.problem) return failed(end.problem);
  if (end.timedOut) return failed('The search took too long: narrow it with path, glob or type.');
  if (end.killed) return failed('Interrupted.');
  parts.finish();
  if (end.code === 0 || end.code === 1 || /^rg: \.?\//m.test(errors))
    return { isStopped: false, isFailure: false, complaints: listUnreadable(errors) };
  return failed(shorten(errors));
}

function failed(problem: string): SearchEnd {
  return { isStopped: false, isFailure: true, problem, complaints: [] };
}

/** Unreadable files. A message without a file is about the pattern and the options. */
function listUnreadable(errors: string): string[] {
  return [...errors.matchAll(/^rg: (\.?\/.*?): .* \(os error \d+\)$/gm)].map(([, path = '']) => path);
}

function splitter(separator: '\n' | '\0', take: (part: string) => boolean) {
  const end = separator.charCodeAt(0);
  let carry: Buffer = Buffer.alloc(0);
  let stopped = false;
  const give = (bytes: Buffer) => {
    if (!stopped && !take(bytes.toString('utf8'))) stopped = true;
  };
  return {
    add(chunk: Uint8Array): boolean {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      let start = 0;
      for (let at = bytes.indexOf(end); at !== -1 && !stopped; at = bytes.indexOf(end, start)) {
        give(Buffer.concat([carry, bytes.subarray(start, at)]).subarray(0, maxLine));
        carry = Buffer.alloc(0);
        start = at + 1;
      }
      if (carry.length < maxLine) carry = Buffer.concat([carry, bytes.subarray(start)]);
      return !stopped;
    },
    finish() {
      if (carry.length > 0) give(carry);
    },
    isStopped: () => stopped,
  };
}

function shorten(errors: string): string {
  const lines = errors.trim().replace(/^rg: /gm, '').split('\n');
  return lines.slice(0, 8).join('\n').slice(0, 1000);
}
