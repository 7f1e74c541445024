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
  // Where the host begins is not what its writer meant, and a message would show a part of the password.
  if (/@[^?]*@/.test(text))
    return usage(
      "The engine's address has more than one @.",
      'In a user or a password write @ as %40, / as %2F and # as %23.',
    );
  const unknown = [...url.searchParams.keys()].find((name) => !parameters[kind].includes(name));
  if (unknown !== undefined)
    return usage(`The engine's address has a parameter that Cadre does not know: ${unknown}.`, hint);
  const isPlain = url.searchParams.get('plain') === 'yes';
  url.searchParams.delete('plain');
  if (!isPlain && !isEncrypted(url) && !isNear(url))
    return usage(
      `The engine at ${url.host} is on another machine, and the connection would not be encrypted.`,
      `${hint} On a network that you trust, add ?plain=yes.`,
    );
  // With `require` and `verify-ca` the package pg checks less, or not, depending on its version: a server in the middle could read all.
  if (kind === 'postgres' && isEncrypted(url)) url.searchParams.set('sslmode', 'verify-full');
  const shown = new URL(url);
  shown.password = '';
  shown.search = '';
  return ok({ kind, url: url.href, title: shown.href.replace(/\/$/, '') });
}

const kinds: ReadonlyMap<string, EngineAddress['kind']> = new Map([
  ['redis:', 'redis'],
  ['rediss:', 'redis'],
  ['postgres:', 'postgres'],
  ['postgresql:', 'postgres'],
]);

/** Others could change where the connection goes, or what is checked. */
const parameters: Readonly<Record<EngineAddress['kind'], readonly string[]>> = {
  redis: ['plain'],
  postgres: ['plain', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'],
};

function isEncrypted({ protocol, searchParams }: URL): boolean {
  const mode = searchParams.get('sslmode');
  return protocol === 'rediss:' || mode === 'verify-full' || mode === 'verify-ca' || mode === 'require';
}

/** Loopback, or a Unix socket. */
function isNear({ hostname }: URL): boolean {
  return ['', 'localhost', '[::1]'].includes(hostname) || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
