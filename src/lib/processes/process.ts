import { existsSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Clock, sleep } from '../clock.ts';
import type { Fifo } from '../files/fifo.ts';
import { randomIds } from '../ids.ts';
import { type Child, startChild } from './child.ts';
import { isSameProcess, type ProcessMark, processMark } from './mark.ts';
import { checkOwner } from './owner-rights.ts';
import { explainStart } from './start.ts';
import { findOwned, type Owned, type OwnedPid, signalQuietly } from './sweep.ts';

export { findOwned, isBelowMarked, ownerVariable, signalQuietly, sweepMarked } from './sweep.ts';

export interface OwnedOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  /** The process gets its own mark below this one, so that both it and all of the owner's can be found. */
  owner: string;
  clock: Clock;
  /** Receives each piece of output as it comes. */
  output(chunk: Uint8Array): void;
  /** The same for the error stream; goes to `output` unless given. */
  errorOutput?(chunk: Uint8Array): void;
  /** Called after each piece: nothing more is read from that stream until the promise settles. */
  pace?(): Promise<void> | undefined;
  /** A real pipe for both streams, in the order they are written; without it each has a pipe of the runtime's. */
  fifo?: Fifo | undefined;
  /** Passed on as 3, 4, …; the caller still closes them. */
  descriptors?: readonly number[];
  /** The system ends everything it starts when it ends, as in a pid namespace: a moment later nothing is left. */
  takesAllAlong?: boolean;
  /**
   * It starts no processes and has nothing to finish: no descendants are looked for after its end, and it is killed at once.
   */
  isAlone?: boolean;
  /** Standard input; empty unless given. */
  input?: string | Uint8Array;
  /** Keeps standard input open, for an interactive process: see `OwnedProcess.input`. */
  keepsInput?: boolean;
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
  /** From here on no time limit ends it, and this signal replaces the one it was started with. */
  goOnUnder(signal: AbortSignal): void;
  /**
   * With `takesAllAlong`: waits for the first process that it starts, whose end makes the system end all others. Once known
   * it is ended with the rest even if it dropped every mark.
   */
  findFirst?(): Promise<ProcessMark | undefined>;
  /** With `keepsInput`: the input of the process. Broken pipes are not errors. */
  readonly input?: Writable;
}

export interface ProcessEnd {
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  /** Ended by `kill` or by the caller's signal. */
  killed: boolean;
  /** Descendants outlived the process and were ended. */
  leftBehind: boolean;
  /** Its streams were not read to their end: output may be missing. */
  isCut?: true;
  /** Why it could not be started. */
  problem?: string;
}

type Cause = 'timeout' | 'kill';

const defaultGraceMs = 2000;
/** After SIGKILL only the kernel can keep a process; waiting longer is pointless. */
const afterKillMs = 2000;
/** How long output may take to arrive after the end, when nothing delays it. */
const drainMs = 100;
const lastTurns = 10;

/** Starts a process in its own group. When `ended` resolves, it and everything it started has ended. */
export function spawnOwned(given: OwnedOptions): OwnedProcess {
  const options = { ...given, owner: `${given.owner}/${randomIds.token(8)}` };
  if (options.signal?.aborted) return notStarted({ killed: true });
  const allowed = checkOwner(given.owner);
  if (!allowed.ok) return notStarted({ problem: allowed.problem.message });
  const explain = (error: unknown) => ({ problem: explainStart(error, options) });
  try {
    const child = startChild(options);
    if (!(child instanceof Promise)) return watch(child, options);
    return { pid: undefined, ended: child.catch((error) => ({ ...nothing, ...explain(error) })), ...inert };
  } catch (error) {
    return notStarted(explain(error));
  }
}

const nothing: ProcessEnd = { code: null, signal: null, timedOut: false, killed: false, leftBehind: false };

/** In place of a process that was never started. */
export function notStarted(end: Partial<ProcessEnd>): OwnedProcess {
  return { pid: undefined, ended: Promise.resolve({ ...nothing, ...end }), ...inert };
}

const inert = { kill() {}, goOnUnder() {} };

function watch(child: Child, options: OwnedOptions): OwnedProcess {
  const { pid, input } = child;
  const exit = watchExit(child);
  const stop = watchStop(options);
  const owned: Ended = { owner: options.owner, group: pid, since: pid };
  const findFirst = async () => {
    owned.first = await awaitFirstChild(pid, () => exit.isOver() || stop.cause() !== undefined);
    return owned.first;
  };
  const conclude = async (): Promise<ProcessEnd> => {
    await Promise.race([exit.main, stop.requested]);
    if (!stop.cause()) await exit.drained(options.clock, stop.requested);
    const leftBehind = options.isAlone
      ? await endAlone(child, exit, options.clock)
      : await endOthers(owned, options, exit.isClosed(), stop.cause());
    await exit.drained(options.clock);
    stop.release();
    const isWhole = exit.isClosed();
    if (isWhole) options.fifo?.release();
    else options.fifo?.discard();
    // A process that we have given up must not keep our own process alive.
    child.release();
    return {
      ...exit.value(),
      timedOut: stop.cause() === 'timeout',
      killed: stop.cause() === 'kill',
      leftBehind,
      ...(isWhole ? {} : { isCut: true }),
    };
  };
  return {
    ...{ pid, ended: conclude(), kill: () => stop.request('kill'), goOnUnder: stop.goOnUnder },
    ...(options.takesAllAlong ? { findFirst } : {}),
    ...(input ? { input } : {}),
  };
}

type Ended = Owned & Required<Pick<Owned, 'group' | 'since'>>;

/** The end of the process, and of its streams, which descendants can hold open. */
function watchExit(child: Child) {
  let end: Pick<ProcessEnd, 'code' | 'signal'> = { code: null, signal: null };
  let over = false;
  let closed = false;
  const main = child.exited.then((exited) => {
    end = exited;
    over = true;
  });
  const all = child.closed.then(() => {
    closed = true;
  });
  /** Waits for the streams to end, with a limit. */
  const drained = async (clock: Clock, given?: Promise<void>): Promise<void> => {
    if (closed) return;
    const enough = new AbortController();
    const waits = [all, sleep(clock, drainMs, enough.signal), ...(given ? [given] : [])];
    await Promise.race(waits);
    enough.abort();
    // On a busy machine the time may be over before anything was read: bytes that have arrived are read in any case.
    for (let turns = 0; turns < lastTurns && !closed; turns++) await new Promise(setImmediate);
  };
  return { main, drained, isOver: () => over, isClosed: () => closed, value: () => end };
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
  let { signal } = options;
  signal?.addEventListener('abort', abort, { once: true });
  const { timeoutMs } = options;
  const cancel =
    timeoutMs === undefined ? () => {} : options.clock.after(timeoutMs, () => request('timeout'));
  const release = () => {
    cancel();
    signal?.removeEventListener('abort', abort);
  };
  const goOnUnder = (other: AbortSignal) => {
    release();
    signal = other;
    if (other.aborted) abort();
    else other.addEventListener('abort', abort, { once: true });
  };
  return { request, requested, cause: () => cause, release, goOnUnder };
}

async function endAlone(child: Child, exit: ReturnType<typeof watchExit>, clock: Clock): Promise<false> {
  if (exit.isClosed()) return false;
  child.kill('SIGKILL');
  const enough = new AbortController();
  await Promise.race([exit.main, sleep(clock, afterKillMs, enough.signal)]);
  enough.abort();
  return false;
}

/** Whether descendants outlived the process. */
async function endOthers(
  owned: Ended,
  options: OwnedOptions,
  isClosed: boolean,
  cause: Cause | undefined,
): Promise<boolean> {
  const left = options.takesAllAlong && !cause ? await vanish(owned, options.clock) : findOwned(owned);
  const leftBehind = !cause && left.some((one) => one.pid !== owned.group);
  if (cause || leftBehind || !isClosed) await endAll(owned, options);
  return leftBehind;
}

const vanishMs = 200;
/** Namespaces take a fraction of a millisecond to end, and no timer is that short. */
const [shortPauses, shortPauseMs] = [5, 0.1];

/**
 * Processes left after a moment. Where the first process of a namespace is known, its end is enough: the system completes it
 * only when all others in there are gone, and everything was started in there.
 */
async function vanish(owned: Ended, clock: Clock): Promise<OwnedPid[]> {
  const until = clock.monotonic() + vanishMs;
  const never = new Int32Array(new SharedArrayBuffer(4));
  const { first } = owned;
  for (let looks = 0; ; looks++) {
    if (first && !isSameProcess(first)) return [];
    const isLast = clock.monotonic() >= until;
    const left = first && !isLast ? undefined : findOwned(owned);
    if (left && (isLast || left.length === 0)) return left;
    if (looks < shortPauses) Atomics.wait(never, 0, 0, shortPauseMs);
    else await sleep(clock, 2 ** (looks - shortPauses));
  }
}

async function endAll(owned: Ended, options: OwnedOptions): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', options.graceMs ?? defaultGraceMs],
    ['SIGKILL', afterKillMs],
  ] as const) {
    const until = options.clock.monotonic() + waitMs;
    for (let pause = 2; ; pause = Math.min(pause * 2, 25)) {
      const left = findOwned(owned);
      if (left.length === 0) return;
      // SIGTERM is sent once. SIGKILL is repeated: a process may fork while it is checked.
      if (pause === 2 || signal === 'SIGKILL') for (const { pid } of left) signalQuietly(pid, signal);
      if (options.clock.monotonic() >= until) break;
      await sleep(options.clock, pause);
    }
  }
}

/** Minimum time a process has to start one, in short pauses; no timer is that short. */
const [looks, pauseMs] = [5000, 0.1];

/**
 * The first process that another one starts, as soon as it has; undefined where it ends first, and where the system does not
 * tell. For a program that creates a namespace, all other processes in it end with this one.
 */
async function awaitFirstChild(pid: number, isOver: () => boolean): Promise<ProcessMark | undefined> {
  if (!existsSync(locateChildren(process.pid))) return undefined;
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let look = 0; look < looks && !isOver(); look++) {
    const found = readFirstChild(pid);
    if (found) return found;
    Atomics.wait(never, 0, 0, pauseMs);
    await new Promise(setImmediate);
  }
  return undefined;
}

function readFirstChild(pid: number): ProcessMark | undefined {
  try {
    const [child] = readFileSync(locateChildren(pid), 'latin1').split(' ');
    const mark = child ? processMark(Number(child)) : undefined;
    return mark?.start ? mark : undefined;
  } catch {
    return undefined;
  }
}

function locateChildren(pid: number): string {
  return `/proc/${pid}/task/${pid}/children`;
}
