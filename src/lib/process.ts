import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Clock, sleep } from './clock.ts';
import { randomIds } from './ids.ts';
import { explainStart } from './process-start.ts';
import { findOwned, ownerVariable, signalQuietly } from './process-sweep.ts';

export { findOwned, ownerVariable, sweepMarked } from './process-sweep.ts';

export interface OwnedOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** The process gets a mark of its own below this one, so that both it and all of the owner's can be found. */
  owner: string;
  clock: Clock;
  /** An open file, which costs us nothing however much is written, or a function that is given each piece. */
  output: number | ((chunk: Uint8Array) => void);
  /** The same for the error stream; goes where `output` goes unless given. */
  errorOutput?: number | ((chunk: Uint8Array) => void);
  /** Standard input; nothing unless given. */
  input?: string;
  /**
   * The program prints the exit code of a command that it runs when that ends, while it may still be draining the
   * command's output, which it writes to descriptor 3.
   */
  reportsEnd?: boolean;
  timeoutMs?: number;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
  signal?: AbortSignal;
}

export interface OwnedProcess {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when the process and all its descendants are gone; never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: SIGTERM, then SIGKILL. */
  kill(): void;
}

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Ended by `kill` or by the caller's signal. */
  killed: boolean;
  /** Descendants outlived the process and were ended. */
  leftBehind: boolean;
  /** Why it could not be started. */
  problem?: string;
}

type Cause = 'timeout' | 'kill';

const defaultGraceMs = 2000;
/** After SIGKILL only the kernel can keep a process; nobody waits longer for that. */
const afterKillMs = 2000;
/** How long output may take to arrive after the end, when nothing holds it back. */
const drainMs = 100;

/** Starts a process in a group of its own that is gone, with all it started, when `ended` resolves. */
export function spawnOwned(given: OwnedOptions): OwnedProcess {
  const options = { ...given, owner: `${given.owner}/${randomIds.token(8)}` };
  if (options.signal?.aborted) return notStarted({ killed: true });
  let child: ChildProcess;
  try {
    child = start(options);
  } catch (error) {
    return notStarted({ problem: explainStart(error, options) });
  }
  if (child.pid === undefined) {
    const problem = new Promise<string>((resolve) =>
      child.once('error', (error) => resolve(explainStart(error, options))),
    );
    return { pid: undefined, ended: problem.then((text) => ({ ...nothing, problem: text })), kill() {} };
  }
  return watch(child, child.pid, options);
}

const nothing: ProcessEnd = { code: null, signal: null, timedOut: false, killed: false, leftBehind: false };

function notStarted(end: Partial<ProcessEnd>): OwnedProcess {
  return { pid: undefined, ended: Promise.resolve({ ...nothing, ...end }), kill() {} };
}

function start(options: OwnedOptions): ChildProcess {
  const { output, errorOutput = output } = options;
  const to = (target: typeof output): number | 'pipe' => (typeof target === 'number' ? target : 'pipe');
  const stdio: StdioOptions = [
    options.input === undefined ? 'ignore' : 'pipe',
    ...(options.reportsEnd ? ['pipe' as const, to(errorOutput), to(output)] : [to(output), to(errorOutput)]),
  ];
  const child = spawn(options.file, options.args, {
    cwd: options.cwd,
    env: { ...options.env, [ownerVariable]: options.owner },
    stdio,
    detached: true,
  });
  if (typeof output === 'function') child.stdio[options.reportsEnd ? 3 : 1]?.on('data', output);
  if (typeof errorOutput === 'function') child.stderr?.on('data', errorOutput);
  // A program that does not read its input closes it early.
  child.stdin?.on('error', () => {}).end(options.input);
  return child;
}

function watch(child: ChildProcess, pid: number, options: OwnedOptions): OwnedProcess {
  const exit = watchExit(child, options.reportsEnd ? child.stdout : null);
  const stop = watchStop(options);
  const owned = { owner: options.owner, group: pid, since: pid };
  const conclude = async (): Promise<ProcessEnd> => {
    await Promise.race([exit.main, stop.requested]);
    if (!stop.cause()) await Promise.race([exit.closed, sleep(options.clock, drainMs), stop.requested]);
    // What the process itself still has running, such as a drain, is not left behind.
    const leftBehind = !stop.cause() && findOwned(owned).some((one) => one.pid !== pid && one.parent !== pid);
    if (stop.cause() || leftBehind || !exit.isClosed()) await endAll(owned, options);
    await Promise.race([exit.closed, sleep(options.clock, drainMs)]);
    stop.release();
    release(child);
    return {
      ...exit.value(),
      timedOut: stop.cause() === 'timeout',
      killed: stop.cause() === 'kill',
      leftBehind,
    };
  };
  return { pid, ended: conclude(), kill: () => stop.request('kill') };
}

/** The end of the main command, and of the process with its streams, which descendants can hold open. */
function watchExit(child: ChildProcess, reports: Readable | null) {
  let code: number | null = null;
  let signal: string | null = null;
  let closed = false;
  const main = new Promise<void>((resolve) => {
    child.once('exit', (exitCode, exitSignal) => {
      code ??= exitCode;
      signal = exitSignal;
      resolve();
    });
    reports?.once('data', (report: unknown) => {
      const reported = Number.parseInt(String(report), 10);
      if (Number.isInteger(reported)) code = reported;
      resolve();
    });
  });
  const end = new Promise<void>((resolve) => {
    child.once('close', () => {
      closed = true;
      resolve();
    });
  });
  return { main, closed: end, isClosed: () => closed, value: () => ({ code, signal }) };
}

function watchStop(options: OwnedOptions) {
  let cause: Cause | undefined;
  let wake = () => {};
  const requested = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const request = (why: Cause) => {
    cause ??= why;
    wake();
  };
  const abort = () => request('kill');
  options.signal?.addEventListener('abort', abort, { once: true });
  const { timeoutMs } = options;
  const cancel =
    timeoutMs === undefined ? () => {} : options.clock.after(timeoutMs, () => request('timeout'));
  const release = () => {
    cancel();
    options.signal?.removeEventListener('abort', abort);
  };
  return { request, requested, cause: () => cause, release };
}

async function endAll(owned: { owner: string; group: number; since: number }, options: OwnedOptions) {
  for (const [signal, waitMs] of [
    ['SIGTERM', options.graceMs ?? defaultGraceMs],
    ['SIGKILL', afterKillMs],
  ] as const) {
    const until = options.clock.monotonic() + waitMs;
    for (let pause = 2; ; pause = Math.min(pause * 2, 25)) {
      const left = findOwned(owned);
      if (left.length === 0) return;
      // SIGTERM is said once. SIGKILL is repeated: a process may fork while it is looked at.
      if (pause === 2 || signal === 'SIGKILL') for (const { pid } of left) signalQuietly(pid, signal);
      if (options.clock.monotonic() >= until) break;
      await sleep(options.clock, pause);
    }
  }
}

/** Nothing of a process that we have given up may keep our own process alive. */
function release(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}
