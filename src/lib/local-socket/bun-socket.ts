import type { Socket, SocketHandler } from 'bun';
import type { Accept, ConnectionHandler, LocalConnection, LocalListener, SocketPeer } from './connection.ts';
import { readPeer } from './peer.ts';

/** Bun's own sockets: `node:net` takes 10 ms and more to load there, which every start would pay. */
export function listenOnBun(path: string, accept: Accept): LocalListener {
  const listener = Bun.listen<BunConnection>({
    unix: path,
    socket: {
      ...handlers,
      open(socket) {
        // An open session must not keep its program running.
        socket.unref();
        const connection = new BunConnection(socket);
        socket.data = connection;
        connection.handler = accept(connection);
      },
    },
  });
  listener.unref();
  return { close: () => listener.stop() };
}

export async function connectOnBun(path: string, accept: Accept): Promise<LocalConnection> {
  const socket = await Bun.connect<BunConnection>({
    unix: path,
    socket: {
      ...handlers,
      open(socket) {
        const connection = new BunConnection(socket);
        socket.data = connection;
        connection.handler = accept(connection);
      },
    },
  });
  return socket.data;
}

const handlers: SocketHandler<BunConnection> = {
  data: (socket, bytes) => socket.data.handler?.data(bytes),
  drain: (socket) => socket.data.flush(),
  close: (socket) => socket.data?.close(),
  // Followed by a close.
  error: () => {},
};

class BunConnection implements LocalConnection {
  handler: ConnectionHandler | undefined;
  readonly #socket: Socket<BunConnection>;
  /** Bytes the socket did not accept yet: Bun's sockets buffer nothing themselves. */
  #pending: Uint8Array[] = [];
  #isEnding = false;
  #isClosed = false;

  constructor(socket: Socket<BunConnection>) {
    this.#socket = socket;
  }

  write(bytes: Uint8Array): boolean {
    if (this.#isClosed || this.#isEnding) return true;
    this.#pending.push(bytes);
    return this.#pending.length === 1 && this.#writePending();
  }

  flush(): void {
    if (this.#pending.length === 0 || !this.#writePending()) return;
    if (this.#isEnding) this.#socket.shutdown();
    else this.handler?.drained();
  }

  /** True once everything is sent. */
  #writePending(): boolean {
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      const taken = Math.max(0, this.#socket.write(next));
      if (taken < next.length) {
        this.#pending[0] = next.subarray(taken);
        return false;
      }
      this.#pending.shift();
    }
    return true;
  }

  pause(): void {
    if (!this.#isClosed) this.#socket.pause();
  }

  resume(): void {
    if (!this.#isClosed) this.#socket.resume();
  }

  end(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isEnding = true;
    if (this.#pending.length === 0) this.#socket.shutdown();
  }

  destroy(): void {
    if (!this.#isClosed) this.#socket.terminate();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending = [];
    this.handler?.closed();
  }

  readPeer(): SocketPeer | undefined {
    const { fd } = this.#socket as { fd?: unknown };
    return typeof fd === 'number' ? readPeer(fd) : undefined;
  }
}
