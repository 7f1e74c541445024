import { createRequire } from 'node:module';
import type { Socket, SocketHandler } from 'bun';
import type { Accept, ConnectionHandler, LocalConnection, LocalListener, SocketPeer } from './connection.ts';

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
  /** Bytes the socket did not accept yet: Bun's sockets buffer nothing themselves. */
  #pending: Uint8Array[] = [];
  #isEnding = false;
  #isClosed = false;

  constructor(private readonly socket: Socket<BunConnection>) {}

  write(bytes: Uint8Array): boolean {
    if (this.#isClosed || this.#isEnding) return true;
    this.#pending.push(bytes);
    return this.#pending.length === 1 && this.#writePending();
  }

  flush(): void {
    if (this.#pending.length === 0 || !this.#writePending()) return;
    if (this.#isEnding) this.socket.shutdown();
    else this.handler?.drained();
  }

  /** True once everything is sent. */
  #writePending(): boolean {
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      const taken = Math.max(0, this.socket.write(next));
      if (taken < next.length) {
        this.#pending[0] = next.subarray(taken);
        return false;
      }
      this.#pending.shift();
    }
    return true;
  }

  pause(): void {
    if (!this.#isClosed) this.socket.pause();
  }

  resume(): void {
    if (!this.#isClosed) this.socket.resume();
  }

  end(): void {
    if (this.#isClosed || this.#isEnding) return;
    this.#isEnding = true;
    if (this.#pending.length === 0) this.socket.shutdown();
  }

  destroy(): void {
    if (!this.#isClosed) this.socket.terminate();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pending = [];
    this.handler?.closed();
  }

  readPeer(): SocketPeer | undefined {
    const { fd } = this.socket as { fd?: unknown };
    return typeof fd === 'number' ? readPeer(fd) : undefined;
  }
}

/** From <asm/socket.h>, for all architectures that Cadre is built for. */
const solSocket = 1;
const soPeerCredentials = 17;

/**
 * Asks the system which process connected. Linux with glibc only: elsewhere the modes of the socket and its directory are the
 * only protection. Neither Bun nor Node has a call for it.
 */
function readPeer(descriptor: number): SocketPeer | undefined {
  if (process.platform !== 'linux' || typeof Bun === 'undefined') return undefined;
  try {
    const { dlopen, ptr } = createRequire(import.meta.url)('bun:ffi') as typeof import('bun:ffi');
    const library = dlopen('libc.so.6', {
      getsockopt: { args: ['int', 'int', 'int', 'ptr', 'ptr'], returns: 'int' },
    });
    const credentials = new Int32Array(3);
    const length = new Int32Array([credentials.byteLength]);
    const failed = library.symbols.getsockopt(
      ...([descriptor, solSocket, soPeerCredentials] as const),
      ...([ptr(credentials), ptr(length)] as const),
    );
    const [pid = 0, uid = -1] = credentials;
    library.close();
    return failed === 0 ? { pid, uid: uid >>> 0 } : undefined;
  } catch {
    return undefined;
  }
}
