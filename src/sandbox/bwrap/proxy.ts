import { lookup } from 'node:dns/promises';
import { mkdtempSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { findAddressFamily, isPublicAddress } from '../../lib/addresses.ts';
import { rmSync } from '../../lib/files/exact-files.ts';
import {
  type DomainPattern,
  formatHost,
  type Host,
  isLocalName,
  matchesDomain,
  parseDomain,
} from '../../lib/hosts.ts';
import { failure, formatError, ok, type Result } from '../../lib/result.ts';
import { proxyPrefix, removeLeftProxies } from '../guard/left-proxies.ts';
import { measureBody } from './proxy-body.ts';
import { type ProxyRequest, readRequest } from './proxy-request.ts';

export interface DomainLists {
  allowed: readonly string[];
  denied: readonly string[];
}

export interface DomainProxy {
  /** The Unix socket that it listens on. */
  path: string;
  close(): void;
}

const maxHead = 64 * 1024;
const headMs = 30_000;

/**
 * The only way out of a sandbox with listed hosts: a proxy for HTTP, plain and tunnelled, which connects to those and to no
 * others. It is reached by a socket in a private directory. A listed name that leads to this machine or into a private
 * network is refused, unless the list names exactly that host.
 */
export async function startProxy(lists: DomainLists): Promise<Result<DomainProxy>> {
  const wrong = [...lists.allowed, ...lists.denied].find((text) => parseDomain(text) === undefined);
  if (wrong !== undefined)
    return failure(
      `sandbox.network: "${wrong}" is not a host.`,
      'Write example.com, *.example.com or example.com:8080.',
    );
  const judge = createJudge(lists);
  // Its name must be short; only its owner can enter the directory.
  await removeLeftProxies();
  const directory = mkdtempSync(proxyPrefix);
  const path = `${directory}/proxy`;
  const open = new Set<Socket>();
  // A client that has sent everything still reads the answer.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    serve(client, judge);
  });
  const problem = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error) => resolve(formatError(error)));
    server.listen(path, () => resolve(undefined));
  });
  if (problem !== undefined) return failure(`The sandbox's network cannot be started: ${problem}`);
  // It must not keep the process alive when the session is over.
  server.unref();
  return ok({
    path,
    close() {
      for (const client of open) client.destroy();
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  });
}

/** The address to connect to for a host, or why not. */
type Judge = (host: Host) => Promise<Result<string>>;

function createJudge({ allowed, denied }: DomainLists): Judge {
  const patterns = (texts: readonly string[]) => texts.flatMap((text) => parseDomain(text) ?? []);
  const [granting, refusing] = [patterns(allowed), patterns(denied)];
  return async (host) => {
    const grants = granting.filter((pattern) => matchesDomain(pattern, host, false));
    if (grants.length === 0 || refusing.some((pattern) => matchesDomain(pattern, host, true)))
      return failure(`${formatHost(host)} is not among the hosts that the sandbox may reach`);
    return resolveAddress(host, grants);
  };
}

/** A public name that leads into a private network is an attack; a private one that was listed is intended. */
async function resolveAddress(host: Host, grants: readonly DomainPattern[]): Promise<Result<string>> {
  const isAddress = findAddressFamily(host.name) !== 0;
  const isPrivate = grants.some(({ below }) => !below) && (isAddress || isLocalName(host.name));
  const found = isAddress ? [host.name] : await resolve(host.name);
  const usable = found.find((address) => isPrivate || isPublicAddress(address));
  if (usable !== undefined) return ok(usable);
  const why = found.length === 0 ? 'cannot be found' : 'resolves to this machine or a private network';
  return failure(`${formatHost(host)} ${why}`);
}

async function resolve(name: string): Promise<string[]> {
  try {
    return (await lookup(name, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function serve(client: Socket, judge: Judge): void {
  const pieces: Buffer[] = [];
  const timer = setTimeout(() => client.destroy(), headMs);
  timer.unref();
  client.once('close', () => clearTimeout(timer));
  const read = (piece: Buffer) => {
    pieces.push(piece);
    const all = Buffer.concat(pieces);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0 && all.length <= maxHead) return;
    clearTimeout(timer);
    client.off('data', read);
    client.pause();
    const request = end < 0 ? undefined : readRequest(all.subarray(0, end).toString('latin1'));
    if (request) void connect(client, request, all.subarray(end + 4), judge);
    else refuse(client, 400, 'not a request to a proxy');
  };
  client.on('data', read);
}

async function connect(client: Socket, request: ProxyRequest, rest: Buffer, judge: Judge): Promise<void> {
  const address = await judge(request.host);
  if (!address.ok) return refuse(client, 403, address.problem.message);
  const server = createConnection({
    host: address.value,
    port: Number(request.host.port),
    allowHalfOpen: true,
  });
  let connected = false;
  server.once('connect', () => {
    connected = true;
    if (request.forward) forwardOne(client, server, request.forward, rest);
    else {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (rest.length > 0) server.write(rest);
      client.pipe(server);
    }
    server.pipe(client);
  });
  server.on('error', () => {
    if (connected) client.destroy();
    else refuse(client, 502, `${formatHost(request.host)} does not answer`);
  });
  server.once('close', () => client.end());
  client.once('close', () => server.destroy());
}

/**
 * One request and nothing behind it: the next one of the connection may be for another host. What follows ends the client's
 * side, so that a server which does not close the connection after its answer closes it then.
 */
function forwardOne(
  client: Socket,
  server: Socket,
  { head, body }: NonNullable<ProxyRequest['forward']>,
  rest: Buffer,
): void {
  const meter = measureBody(body);
  let isEnd = body.kind === 'length' && body.bytes === 0;
  server.write(head, 'latin1');
  const pass = (piece: Buffer) => {
    const part = isEnd ? { bytes: 0, isEnd } : meter.take(piece);
    if (!part) {
      client.destroy();
      return;
    }
    isEnd = part.isEnd;
    if (part.bytes > 0 && !server.write(piece.subarray(0, part.bytes))) client.pause();
    if (part.bytes < piece.length) server.end();
  };
  if (rest.length > 0) pass(rest);
  server.on('drain', () => client.resume());
  client.on('data', pass);
  client.once('end', () => server.end());
  client.resume();
}

function refuse(client: Socket, status: number, reason: string): void {
  const body = `Refused by the sandbox: ${reason}.\n`;
  client.end(
    `HTTP/1.1 ${status} Refused by the sandbox\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
