import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/** Servers that an attacker would like to reach. They count who comes. */
export interface Servers {
  tcp: number;
  udp: number;
  socket: string;
  abstract: string;
  /** The one server that may be reached: it hands out pages. */
  page: number;
  /** Connections and datagrams so far. */
  reached(): number;
  close(): void;
}

export async function openServers(directory: string, pages: Map<string, string>): Promise<Servers> {
  let count = 0;
  const counting = () =>
    createServer((client) => {
      count++;
      client.on('error', () => {});
      client.destroy();
    });
  const socket = `${directory}/docker.sock`;
  const abstract = `cadre-attacked-${process.pid}`;
  const [tcp, six, unix, hidden] = [counting(), counting(), counting(), counting()];
  await listen(tcp, { port: 0, host: '127.0.0.1' });
  const port = portOf(tcp);
  await listen(six, { port, host: '::1' }).catch(() => {});
  await listen(unix, { path: socket });
  await listen(hidden, { path: `\0${abstract}` }).catch(() => {});
  const udp = createSocket('udp4', () => count++);
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const page = createServer((client) => {
    client.on('error', () => {});
    client.once('data', (bytes) => {
      const path = /^GET (\S+)/.exec(bytes.toString())?.[1] ?? '/';
      const body = pages.get(path) ?? 'Nothing here.';
      client.end(
        `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    });
  });
  await listen(page, { port: 0, host: '127.0.0.1' });
  return {
    ...{ tcp: port, udp: udp.address().port, socket, abstract, page: portOf(page) },
    reached: () => count,
    close() {
      for (const server of [tcp, six, unix, hidden, page]) server.close();
      udp.close();
    },
  };
}

function listen(server: Server, where: { port?: number; host?: string; path?: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => resolve());
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}
