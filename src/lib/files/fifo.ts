import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readdirSync, rmSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ensurePrivateDirectory } from './files.ts';
import { isOfDead, nameByProcess } from './temporary-names.ts';

/**
 * Real pipes for the output of shell commands. The runtime's own are sockets, which a script cannot reopen by name: `echo
 * oops >/dev/stderr` would fail. Creating one costs a process, so they are reused.
 */
export class Fifos {
  readonly #directory: () => string;
  readonly #free: Fifo[] = [];
  /** Never used for output: no command has had one of them. */
  readonly #gates: Fifo[] = [];
  #closed = false;

  /** `directory` is where they have a name for a moment, or all the time where there is no `/proc`. */
  constructor(directory: () => string) {
    this.#directory = directory;
  }

  /** Undefined where none can be created: the runtime's own pipes are used then. */
  take(): Fifo | undefined {
    return this.#takeFrom(this.#free);
  }

  /** One for a gate (`gate.ts`), which relies on the behaviour of Linux pipes. */
  takeGate(): Fifo | undefined {
    return process.platform === 'linux' ? this.#takeFrom(this.#gates) : undefined;
  }

  /** Creates one of each kind before the first command, by one process. */
  prepare(): void {
    if (this.#free.length > 0) return;
    const pools =
      process.platform === 'linux' && this.#gates.length === 0 ? [this.#free, this.#gates] : [this.#free];
    for (const fifo of this.#make(pools)) fifo.release();
  }

  close(): void {
    this.#closed = true;
    for (const pool of [this.#free, this.#gates]) for (const fifo of pool.splice(0)) fifo.discard();
  }

  #takeFrom(pool: Fifo[]): Fifo | undefined {
    return pool.pop() ?? this.#make([pool])[0];
  }

  /** One for each of these; none where they cannot be created. */
  #make(pools: readonly Fifo[][]): Fifo[] {
    const giveBack = (pool: Fifo[]) => (fifo: Fifo) => {
      if (this.#closed) fifo.discard();
      else pool.push(fifo);
    };
    return makeFifos(this.#directory(), pools.map(giveBack));
  }
}

/** One for the output of one command. Undefined where none can be created. */
export async function withFifo<T>(work: (fifo: Fifo | undefined) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'cadre-pipes-'));
  const fifos = new Fifos(() => directory);
  try {
    return await work(fifos.take());
  } finally {
    fifos.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

export interface Fifo {
  /** The path by which this process opens it. */
  readonly path: string;
  /** Opens both ends. The reader ends when no process holds the writer. */
  open(): { reader: FifoReader; writer: number };
  /** Only after the reader has ended: then it has no writer and is empty. */
  release(): void;
  discard(): void;
}

/** Whether reading must pause, and until when. */
export type ReadPause = () => Promise<void> | undefined;

export function readPaced(stream: Readable | null, take: (chunk: Uint8Array) => void, pace: ReadPause): void {
  stream?.on('data', (chunk: Uint8Array) => {
    take(chunk);
    const pause = pace();
    if (!pause) return;
    stream.pause();
    void pause.then(() => stream.resume());
  });
}

export interface FifoReader {
  /** Passes each piece as it comes; resolves when no process holds the writer. Called once. */
  read(take: (chunk: Uint8Array) => void, pace: ReadPause): Promise<void>;
  destroy(): void;
}

/**
 * Where the pipes of all sessions are made: in the harness's own directory, which sandboxed commands cannot see, and beside
 * nothing that agents are given. A process that could open a pipe by its name could write into the output of another command.
 * Pipes left by a process that was killed at the wrong moment are removed by the next.
 */
export function pipeDirectory(home: string): string {
  const directory = join(home, 'pipes');
  // If it cannot be created, neither can a pipe, and the runtime's own are used.
  if (ensurePrivateDirectory(directory).ok && process.platform === 'linux') removeLeft(directory);
  return directory;
}

function removeLeft(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    if (isOfDead(path)) rmSync(path, { force: true });
  }
}

/** The system's own program, wherever the user's search path leads. */
const systemPath = { PATH: '/usr/bin:/bin' };

type GiveBack = (fifo: Fifo) => void;

function makeFifos(directory: string, receivers: readonly GiveBack[]): Fifo[] {
  const paths = receivers.map(() => join(directory, `.fifo-${nameByProcess()}`));
  if (spawnSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore', env: systemPath }).status !== 0)
    return [];
  const open = process.platform === 'linux' ? namelessFifo : namedFifo;
  try {
    return receivers.map((giveBack, index) => open(paths[index] ?? '', giveBack));
  } catch {
    return [];
  }
}

/** On Linux an open descriptor serves as the name, so that not even a crash leaves a file. */
function namelessFifo(path: string, giveBack: GiveBack): Fifo {
  const kept = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  unlinkSync(path);
  const own = `/proc/self/fd/${kept}`;
  const fifo: Fifo = {
    path: own,
    open: () => openEnds(own),
    release: () => giveBack(fifo),
    discard: () => closeSync(kept),
  };
  return fifo;
}

function namedFifo(path: string, giveBack: GiveBack): Fifo {
  const fifo: Fifo = {
    path,
    open: () => openEnds(path),
    release: () => giveBack(fifo),
    discard: () => unlinkSync(path),
  };
  return fifo;
}

function openEnds(path: string): { reader: FifoReader; writer: number } {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  const reader = typeof Bun === 'undefined' ? socketReader(descriptor) : fileReader(descriptor);
  return { reader, writer };
}

function socketReader(descriptor: number): FifoReader {
  // Loaded only on Node: Bun has no use for it here.
  const { Socket } = createRequire(import.meta.url)('node:net') as typeof import('node:net');
  const socket = new Socket({ fd: descriptor, readable: true, writable: false });
  return {
    read(take, pace) {
      readPaced(socket, take, pace);
      return new Promise((resolve) => socket.once('close', () => resolve()));
    },
    destroy: () => void socket.destroy(),
  };
}

/** A Bun socket does not see the bytes of a fifo; a Bun file does. */
function fileReader(descriptor: number): FifoReader {
  const reader = Bun.file(descriptor).stream().getReader();
  let open = true;
  const close = () => {
    if (open) closeSync(descriptor);
    open = false;
  };
  return {
    async read(take, pace) {
      for (;;) {
        const step = await reader.read().catch(() => undefined);
        if (!step || step.done) return close();
        take(step.value);
        await pace();
      }
    },
    destroy() {
      if (open)
        void reader
          .cancel()
          .catch(() => {})
          .finally(close);
    },
  };
}
