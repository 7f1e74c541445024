import { ok, type Result, usage } from '../../lib/result.ts';

export interface EngineAddress {
  kind: 'redis' | 'postgres';
  url: string;
  /** For people: without a password. */
  title: string;
}

const hint =
  'Use redis://HOST:PORT, rediss://HOST:PORT, or postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full.';

/** What is sent to an engine on another machine must be encrypted, unless the address says that it need not be. */
export function readEngineAddress(text: string): Result<EngineAddress> {
  const url = URL.parse(text);
  const kind = url && kinds.get(url.protocol);
  if (!url || !kind) return usage('The engine is not an address that Cadre knows.', hint);
  const isPlain = url.searchParams.get('plain') === 'yes';
  url.searchParams.delete('plain');
  if (!isPlain && !isEncrypted(url) && !isNear(url))
    return usage(
      `The engine at ${url.host} is on another machine, and the connection would not be encrypted.`,
      `${hint} On a network that you trust, add ?plain=yes.`,
    );
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return ok({ kind, url: url.href, title: shown.href });
}

const kinds: ReadonlyMap<string, EngineAddress['kind']> = new Map([
  ['redis:', 'redis'],
  ['rediss:', 'redis'],
  ['postgres:', 'postgres'],
  ['postgresql:', 'postgres'],
]);

function isEncrypted({ protocol, searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode');
  return protocol === 'rediss:' || mode === 'verify-full' || mode === 'verify-ca' || mode === 'require';
}

/** Loopback, or a Unix socket. */
function isNear({ hostname }: URL): boolean {
  return ['', 'localhost', '[::1]'].includes(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
