import { spawnOwned } from '../lib/process.ts';
import type { ToolContext } from '../protocol/tool.ts';

export interface SearchEnd {
  /** True when nothing more was wanted before the end. */
  isStopped: boolean;
  /** Why the search failed, or what it could not look at; a few lines at most. */
  problem?: string;
  /** The search did not take place or not to its end. */
  isFailure: boolean;
}

const timeoutMs = 60_000;
/** Longer lines, which the options given below prevent, are cut. */
const mostLine = 64 * 1024;

/** A new line in a file's name would make its lines look like another file's, which may be one that is shown. */
const common = [
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--color=never',
  '--glob=!.git',
  '--glob=!*\n*',
];

/** Runs ripgrep and gives each line, or each NUL-ended part, to `take` until that returns false. Nothing is held here. */
export async function search(
  program: string,
  args: readonly string[],
  options: { cwd: string; separator: '\n' | '\0'; context: ToolContext; take(part: string): boolean },
): Promise<SearchEnd> {
  const parts = splitter(options.separator, options.take);
  let errors = '';
  const child = spawnOwned({
    file: program,
    args: [...common, ...args],
    cwd: options.cwd,
    // No settings of its own can reach it, and it runs no other program.
    env: {},
    owner: 'cadre/search',
    clock: options.context.clock,
    signal: options.context.signal,
    timeoutMs,
    output: (chunk) => {
      if (!parts.add(chunk)) child.kill();
    },
    errorOutput: (chunk) => {
      if (errors.length < 2000) errors += Buffer.from(chunk).toString('utf8');
    },
  });
  const end = await child.ended;
  if (parts.isStopped()) return { isStopped: true, isFailure: false };
  if (end.problem) return { isStopped: false, isFailure: true, problem: end.problem };
  if (end.timedOut)
    return {
      isStopped: false,
      isFailure: true,
      problem: 'The search took too long: narrow it with path, glob or type.',
    };
  if (end.killed) return { isStopped: false, isFailure: true, problem: 'Interrupted.' };
  parts.finish();
  if (end.code === 0 || end.code === 1) return { isStopped: false, isFailure: false };
  return { isStopped: false, isFailure: true, problem: shorten(errors) };
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
        give(Buffer.concat([carry, bytes.subarray(start, at)]).subarray(0, mostLine));
        carry = Buffer.alloc(0);
        start = at + 1;
      }
      if (carry.length < mostLine) carry = Buffer.concat([carry, bytes.subarray(start)]);
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
