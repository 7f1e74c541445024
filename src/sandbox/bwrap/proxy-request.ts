import { type Host, parseHost } from '../../lib/hosts.ts';
import type { DeclaredBody } from './proxy-body.ts';

/** The request in the first lines of a connection to the proxy. */
export interface ProxyRequest {
  host: Host;
  /** Undefined for a tunnel. */
  forward?: {
    /** The lines sent to the server instead of these. */
    head: string;
    /** What may follow them. */
    body: DeclaredBody;
  };
}

/** Reads the lines up to the empty one; undefined if it is not a proxy request. */
export function readRequest(head: string): ProxyRequest | undefined {
  const [first = '', ...headers] = head.split('\r\n');
  // A server could take the rest of such a line, or one that continues another, for a line of its own; and what is no name
  // of a header for one.
  if (headers.some((line) => /[\r\n\0]/.test(line) || !isHeader.test(line))) return undefined;
  const [, method = '', target = '', version = ''] = /^([A-Z]+) (\S+) (HTTP\/1\.[01])$/.exec(first) ?? [];
  if (method === 'CONNECT') {
    const host = parseHost(`http://${target}/`);
    // Without the scheme's port one could mean two servers.
    return host && /:\d+$/.test(target) ? { host } : undefined;
  }
  const host = target.startsWith('http://') ? parseHost(target) : undefined;
  const body = readBody(headers, version);
  if (!host || !body) return undefined;
  const { host: named, pathname, search } = new URL(target);
  const kept = headers.filter((line) => !/^(?:proxy-[\w-]+|connection|keep-alive|upgrade|host):/i.test(line));
  // By its own choice of name a server with many would answer for one that was not judged (RFC 9112, 3.2.2).
  const lines = [`${method} ${pathname}${search} ${version}`, `Host: ${named}`, ...kept];
  // Closed after one answer: the next request of the connection may be for another host.
  return {
    host,
    forward: { head: [...lines, 'Connection: close', '', ''].join('\r\n'), body },
  };
}

/** RFC 9110, 5.1: no blank before the colon. */
const isHeader = /^[!#$%&'*+.^`|~\w-]+:/;

/** Undefined where two servers could find two ends of it (RFC 9112, 6.3). */
function readBody(headers: readonly string[], version: string): DeclaredBody | undefined {
  const read = (name: string) =>
    headers
      .filter((line) => line.toLowerCase().startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).trim());
  const [encodings, lengths] = [read('transfer-encoding'), read('content-length')];
  const [encoding] = encodings;
  if (encoding !== undefined) {
    const isPlain = encodings.length === 1 && lengths.length === 0 && version === 'HTTP/1.1';
    return isPlain && encoding.toLowerCase() === 'chunked' ? { kind: 'chunked' } : undefined;
  }
  const [length = '0'] = lengths;
  return lengths.length <= 1 && /^\d{1,15}$/.test(length)
    ? { kind: 'length', bytes: Number(length) }
    : undefined;
}
