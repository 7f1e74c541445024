import { type Host, parseHost } from '../../lib/hosts.ts';

/** What the first lines of a connection to the proxy ask for. */
export interface ProxyRequest {
  host: Host;
  /** What goes to the server instead of these lines; undefined for a tunnel. */
  forward?: string;
}

/** Reads the lines up to the empty one; undefined for what is no request to a proxy. */
export function readRequest(head: string): ProxyRequest | undefined {
  const [first = '', ...headers] = head.split('\r\n');
  const [, method = '', target = '', version = ''] = /^([A-Z]+) (\S+) (HTTP\/1\.[01])$/.exec(first) ?? [];
  if (method === 'CONNECT') {
    const host = parseHost(`http://${target}/`);
    // With the port of the scheme left out one could mean two servers.
    return host && /:\d+$/.test(target) ? { host } : undefined;
  }
  const host = target.startsWith('http://') ? parseHost(target) : undefined;
  if (!host) return undefined;
  const { pathname, search } = new URL(target);
  const kept = headers.filter((line) => !/^(?:proxy-[\w-]+|connection|keep-alive)\s*:/i.test(line));
  // Closed after one answer: the next request of the connection may be for somebody else.
  return {
    host,
    forward: [`${method} ${pathname}${search} ${version}`, ...kept, 'Connection: close', '', ''].join('\r\n'),
  };
}
