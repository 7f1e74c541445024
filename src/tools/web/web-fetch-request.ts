import type { ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { findAddressFamily } from '../../lib/addresses.ts';
import { readAll } from '../../lib/read-all.ts';
import { failure, formatError, getErrorCode, ok, type Result } from '../../lib/result.ts';
import { visibleLine } from '../../lib/text/text.ts';
import { version } from '../../lib/version.ts';
import type { Environment } from '../../models/endpoints.ts';
import { openTransport, readExtraAuthorities } from '../../models/transport.ts';
import type { Route } from './web-fetch-address.ts';

export interface Reply {
  url: string;
  status: number;
  /** The `content-type`, in lower case; empty if there was none. */
  type: string;
  body: Uint8Array;
  /** The target of a redirect. Its body is not read. */
  location?: string;
}

export const maxBytes = 10 * 1024 * 1024;

/** One request, one reply; the caller handles redirects. */
export async function request(
  url: URL,
  route: Route,
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<Reply>> {
  if (signal.aborted) return failure('It was interrupted.');
  try {
    return route.kind === 'proxy'
      ? await requestByProxy(url, environment, signal)
      : await requestDirectly(url, route.addresses, environment, signal);
  } catch (error) {
    return failure(
      `The connection failed: ${visibleLine(formatError(error), 300)} (${getErrorCode(error) ?? 'error'}).`,
    );
  }
}

const headers = {
  'user-agent': `cadre/${version}`,
  accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5',
};

async function requestByProxy(
  url: URL,
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<Reply>> {
  const transport = openTransport(environment);
  if (!transport.ok) return transport;
  const response = await transport.value(url, { headers, redirect: 'manual', signal });
  const said = buildReply(url, response.status, (name) => response.headers.get(name) ?? undefined);
  if (said.location !== undefined) {
    await response.body?.cancel();
    return ok(said);
  }
  const body = await readAll(response.body, maxBytes);
  return body ? ok({ ...said, body }) : tooLarge();
}

/** Connects to a checked address, whatever the name resolves to by now. The certificate must still match the name. */
async function requestDirectly(
  url: URL,
  addresses: readonly string[],
  environment: Environment,
  signal: AbortSignal,
): Promise<Result<Reply>> {
  const extra = readExtraAuthorities(environment.NODE_EXTRA_CA_CERTS);
  if (!extra.ok) return extra;
  const outgoing = await openRequest(url, addresses, extra.value, signal);
  try {
    const incoming = await responseTo(outgoing);
    const header = (name: string) => incoming.headers[name]?.toString();
    const said = buildReply(url, incoming.statusCode ?? 0, header);
    if (said.location !== undefined) return ok(said);
    if (Number(header('content-length')) > maxBytes) return tooLarge();
    const body = await readAll(incoming, maxBytes);
    if (!body) return tooLarge();
    return await unpack(said, body, header('content-encoding'));
  } finally {
    outgoing.destroy();
  }
}

async function openRequest(
  url: URL,
  addresses: readonly string[],
  extraAuthority: string | undefined,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const options = {
    headers: { ...headers, 'accept-encoding': 'gzip, deflate, br', connection: 'close' },
    agent: false as const,
    lookup: pinnedTo(addresses),
    signal,
  };
  if (url.protocol === 'http:') return (await import('node:http')).request(url, options);
  const { request } = await import('node:https');
  if (extraAuthority === undefined) return request(url, options);
  // Naming any authority replaces the built-in ones, so they are named along with it.
  const { rootCertificates } = await import('node:tls');
  return request(url, { ...options, ca: [...rootCertificates, extraAuthority] });
}

/** Answers every look-up with the checked addresses. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: findAddressFamily(address) }));
  return (_name, options, callback) => {
    if (options.all) return callback(null, known);
    const [first] = known;
    callback(null, first?.address ?? '', first?.family);
  };
}

function responseTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
    outgoing.end();
  });
}

function buildReply(url: URL, status: number, header: (name: string) => string | undefined): Reply {
  const location = [301, 302, 303, 307, 308].includes(status) ? header('location') : undefined;
  const type = (header('content-type') ?? '').toLowerCase();
  return { url: url.href, status, type, body: new Uint8Array(), location };
}

async function unpack(reply: Reply, packed: Buffer, encoding: string | undefined): Promise<Result<Reply>> {
  const name = encoding?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity' || packed.length === 0) return ok({ ...reply, body: packed });
  const { brotliDecompress, gunzip, inflate } = await import('node:zlib');
  const ways = { gzip: gunzip, 'x-gzip': gunzip, deflate: inflate, br: brotliDecompress };
  const way = Object.hasOwn(ways, name) ? ways[name as keyof typeof ways] : undefined;
  if (!way) return failure(`Its content is encoded as ${visibleLine(name, 60)}, which is not supported.`);
  try {
    const body: Buffer = await promisify<Buffer, { maxOutputLength: number }, Buffer>(way)(packed, {
      maxOutputLength: maxBytes,
    });
    return ok({ ...reply, body });
  } catch (error) {
    if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') return tooLarge();
    return failure(`Its content is not valid ${name} data.`);
  }
}

function tooLarge(): Result<never> {
  return failure(`It is larger than ${maxBytes / 1024 / 1024} MB. Look for a smaller page.`);
}
