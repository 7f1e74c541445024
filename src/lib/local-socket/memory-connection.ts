import type { Accept, ConnectionHandler, LocalConnection } from './connection.ts';

/** How far one end of a pair may be ahead of the other before it must wait. */
const maxAhead = 64 * 1024;

/** The test version of a socket: two ends in one process, with the same guarantees. Returns the first end. */
export function connectInMemory(accept: Accept, answer: Accept): LocalConnection {
  const near = new MemoryEnd();
  const far = new MemoryEnd();
  near.meet(far, accept);
  far.meet(near, answer);
  return near;
}

class MemoryEnd implements LocalConnection {
  #other: MemoryEnd | undefined;
  #handler: ConnectionHandler | undefined;
  /** Bytes that this end has not read. */
  #incoming: Uint8Array[] = [];
  #isPaused = false;
  #isScheduled = false;
  /** The other end sends no more. */
  #isEnded = false;
  #isClosed = false;

  meet(other: MemoryEnd, accept: Accept): void {
    this.#other = other;
    this.#handler = accept(this);
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isClosed || !this.#other) return true;
    return this.#other.#take(bytes.slice());
  }

  #take(bytes: Uint8Array): boolean {
    this.#incoming.push(bytes);
    this.#schedule();
    return this.#ahead() <= maxAhead;
  }

  #ahead(): number {
    return this.#incoming.reduce((sum, { length }) => sum + length, 0);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#schedule();
  }

  /** Like a socket: never while the other end is still writing. */
  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#deliver());
  }

  #deliver(): void {
    this.#isScheduled = false;
    const wasBehind = this.#ahead() > maxAhead;
    while (!this.#isPaused && !this.#isClosed) {
      const next = this.#incoming.shift();
      if (!next) break;
      this.#handler?.data(next);
    }
    if (this.#incoming.length > 0 || this.#isClosed) return;
    if (wasBehind) this.#other?.tellDrained();
    if (this.#isEnded && this.#incoming.length === 0) this.#close();
  }

  tellDrained(): void {
    this.#handler?.drained();
  }

  end(): void {
    if (this.#isClosed || !this.#other) return;
    this.#other.#isEnded = true;
    this.#other.#schedule();
  }

  destroy(): void {
    this.#close();
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#incoming = [];
    queueMicrotask(() => {
      this.#handler?.closed();
      this.#other?.destroy();
    });
  }

  readPeer() {
    return { pid: process.pid, uid: process.getuid?.() ?? 0 };
  }
}
