import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type Fifo, type ReadPause, readPaced } from '../files/fifo.ts';
import { ownerVariable } from './sweep.ts';

export interface ChildOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  owner: string;
  output(chunk: Uint8Array): void;
  errorOutput?(chunk: Uint8Array): void;
  pace?: ReadPause;
  fifo?: Fifo | undefined;
  descriptors?: readonly number[];
  input?: string | Uint8Array;
  keepsInput?: boolean;
}

/** A process in its own group, whose streams are being read. */
export interface Child {
  readonly pid: number;
  /** Resolves when the process itself has ended. */
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  /** Resolves when its streams have ended too, which descendants can hold open. */
  readonly closed: Promise<unknown>;
  readonly input?: Writable;
  kill(signal: NodeJS.Signals): void;
  /** Nothing more is read, and it no longer keeps our own process alive. */
  release(): void;
}

/** Throws, or rejects, where it cannot be started. */
export function startChild(options: ChildOptions): Child | Promise<never> {
  const ends = options.fifo?.open();
  const out = ends ? ends.writer : 'pipe';
  try {
    // Reading through Bun's own streams cannot be paused, and nothing can be written to them bit by bit.
    const isSimple = !options.keepsInput && (ends !== undefined || options.pace === undefined);
    const child =
      typeof Bun !== 'undefined' && isSimple ? startInBun(options, out) : startInNode(options, out);
    if (!ends || child instanceof Promise) return child;
    const read = ends.reader.read(
      (chunk) => options.output(chunk),
      () => options.pace?.(),
    );
    return {
      ...child,
      closed: Promise.all([child.closed, read]),
      release() {
        child.release();
        ends.reader.destroy();
      },
    };
  } finally {
    if (ends) closeSync(ends.writer);
  }
}

/** Without the streams of Node, which take Bun a tenth of the program's start to load, and each process a millisecond. */
function startInBun(options: ChildOptions, out: 'pipe' | number): Child {
  const { file, args, cwd, input, descriptors = [] } = options;
  const given = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const child = Bun.spawn([file, ...args], {
    cwd,
    env: markedEnvironment(options),
    stdio: [given ?? 'ignore', out, out, ...descriptors],
    detached: true,
  });
  const output = readStream(child.stdout, (chunk) => options.output(chunk));
  const errors = readStream(child.stderr, (chunk) => (options.errorOutput ?? options.output)(chunk));
  const exited = child.exited.then(() => readEnd(child));
  return {
    pid: child.pid,
    exited,
    closed: Promise.all([exited, output.ended, errors.ended]),
    kill: (signal) => child.kill(signal),
    release() {
      output.stop();
      errors.stop();
      child.unref();
    },
  };
}

/** A signal without a name is a number. */
function readEnd({ exitCode, signalCode }: Bun.Subprocess): { code: number | null; signal: string | null } {
  return { code: exitCode, signal: signalCode === null ? null : String(signalCode) };
}

function readStream(
  stream: ReadableStream<Uint8Array> | number | undefined,
  take: (chunk: Uint8Array) => void,
): { ended: Promise<void>; stop(): void } {
  if (typeof stream !== 'object') return { ended: Promise.resolve(), stop() {} };
  const reader = stream.getReader();
  const ended = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      take(value);
    }
  })();
  // One that is given up ends like any other.
  return { ended: ended.catch(() => {}), stop: () => void reader.cancel().catch(() => {}) };
}

function startInNode(options: ChildOptions, out: 'pipe' | number): Child | Promise<never> {
  const { file, args, cwd, input, keepsInput } = options;
  const stdin = input === undefined && !keepsInput ? 'ignore' : 'pipe';
  const child = spawn(file, args, {
    cwd,
    env: markedEnvironment(options),
    stdio: [stdin, out, out, ...(options.descriptors ?? [])],
    detached: true,
  });
  if (child.pid === undefined) return new Promise((_, reject) => child.once('error', reject));
  const pace = () => options.pace?.();
  readPaced(child.stdout, (chunk) => options.output(chunk), pace);
  readPaced(child.stderr, (chunk) => (options.errorOutput ?? options.output)(chunk), pace);
  // A program that does not read its input closes it early.
  child.stdin?.on('error', () => {});
  if (!keepsInput) child.stdin?.end(input);
  return {
    pid: child.pid,
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
    closed: new Promise<void>((resolve) => child.once('close', () => resolve())),
    ...(keepsInput && child.stdin ? { input: child.stdin } : {}),
    kill: (signal) => void child.kill(signal),
    release: () => release(child),
  };
}

function release(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
  child.unref();
}

function markedEnvironment({ env, owner }: ChildOptions): Record<string, string> {
  return { ...env, [ownerVariable]: owner };
}
