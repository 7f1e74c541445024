import type { Socket } from 'node:net';
import type { Accept, LocalConnection, LocalListener } from './connection.ts';

/** The same with `node:net`, for Node. It does not tell which process is at the other end. */
export async function listenOnNode(path: string, accept: Accept): Promise<LocalListener> {
  const { createServer } = await import('node:net');
  const server = createServer((socket) => {
    // An open session must not keep its program running.
    socket.unref();
    attach(socket, accept);
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
  return { close: () => void server.close() };
}

export async function connectOnNode(path: string, accept: Accept): Promise<LocalConnection> {
  const { createConnection } = await import('node:net');
  const socket = createConnection(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => resolve());
  });
  return attach(socket, accept);
}

function attach(socket: Socket, accept: Accept): LocalConnection {
  const connection: LocalConnection = {
    write: (bytes) => socket.destroyed || socket.writableEnded || socket.write(bytes),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    readPeer: () => undefined,
  };
  const handler = accept(connection);
  socket.on('data', (bytes: Buffer) => handler.data(bytes));
  socket.on('drain', () => handler.drained());
  socket.on('close', () => handler.closed());
  // Followed by a close.
  socket.on('error', () => {});
  return connection;
}
