import { type Host, parseHost } from '../../lib/hosts.ts';

/** The request in the first lines of a connection to the proxy. */
export interface ProxyRequest {
  host: Host;
  /** The lines sent to the server instead of these; undefined for a tunnel. */
  forward?: string;
}

/** Reads the lines up to the empty one; undefined if it is not a proxy request. */
export function readRequest(head: string): ProxyRequest | undefined {
  const [first = '', ...headers] = head.split('\r\n');
  // A server could take the rest of such a line, or one that continues another, for a line of its own.
  if (headers.some((line) => /[\r\n\0]|^[ \t]/.test(line))) return undefined;
  const [, method = '', target = '', version = ''] = /^([A-Z]+) (\S+) (HTTP\/1\.[01])$/.exec(first) ?? [];
  if (method === 'CONNECT') {
    const host = parseHost(`http://${target}/`);
    // Without the scheme's port one could mean two servers.
    return host && /:\d+$/.test(target) ? { host } : undefined;
  }
  const host = target.startsWith('http://') ? parseHost(target) : undefined;
  if (!host) return undefined;
  const { host: named, pathname, search } = new URL(target);
  const kept = headers.filter((line) => !/^(?:proxy-[\w-]+|connection|keep-alive|host)\s*:/i.test(line));
  // By its own choice of name a server with many would answer for one that was not judged (RFC 9112, 3.2.2).
  const lines = [`${method} ${pathname}${search} ${version}`, `Host: ${named}`, ...kept];
  // Closed after one answer: the next request of the connection may be for another host.
  return {
    host,
    forward: [...lines, 'Connection: close', '', ''].join('\r\n'),
  };
}
