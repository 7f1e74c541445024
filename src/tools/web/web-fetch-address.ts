import { lookup } from 'node:dns/promises';
import { findAddressFamily, isPublicAddress } from '../../lib/addresses.ts';
import { isLocalName, parseHost } from '../../lib/hosts.ts';
import { failure, ok, type Result } from '../../lib/result.ts';
import type { Environment } from '../../models/endpoints.ts';
import { findProxy } from '../../models/transport.ts';
import type { Reach } from '../../protocol/tool.ts';

/** All addresses of a name; throws if there are none. */
export type Resolve = (name: string) => Promise<string[]>;

/** Directly to checked addresses, or through a proxy, which resolves the name itself. */
export type Route = { kind: 'direct'; addresses: string[] } | { kind: 'proxy' };

/**
 * Where a request to this server may go. The addresses are resolved once, and the request goes to one of
 * them, so changing the name's addresses a moment later has no effect.
 */
export async function routeTo(
  url: URL,
  reach: Reach,
  parts: { environment: Environment; resolve?: Resolve },
  signal: AbortSignal,
): Promise<Result<Route>> {
  const name = parseHost(url.href)?.name;
  if (name === undefined) return failure('It is not a plain http(s) address.');
  const isAddress = findAddressFamily(name) !== 0;
  if (isAddress && !reach.privately && !isPublicAddress(name)) return refusePrivate(name);
  if (findProxy(url, parts.environment) !== undefined) {
    if (isLocalName(name) && !reach.privately) return refusePrivate(name);
    return ok({ kind: 'proxy' });
  }
  if (isAddress) return ok({ kind: 'direct', addresses: [name] });
  const addresses = await lookUp(name, parts.resolve ?? resolveBySystem, signal);
  if (addresses.length === 0) return failure(`The host name ${name} cannot be resolved.`);
  const isSafe = reach.privately || addresses.every(isPublicAddress);
  return isSafe ? ok({ kind: 'direct', addresses }) : refusePrivate(name);
}

/** A look-up cannot be stopped, only ignored. */
async function lookUp(name: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  const stopped = new Promise<string[]>((settle) => {
    if (signal.aborted) settle([]);
    signal.addEventListener('abort', () => settle([]), { once: true });
  });
  return await Promise.race([resolve(name).catch(() => []), stopped]);
}

async function resolveBySystem(name: string): Promise<string[]> {
  return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
}

function refusePrivate(name: string): Result<never> {
  return failure(
    `${name} is this machine or on a private network. WebFetch may reach it only if a rule names it: ` +
      `WebFetch(domain:${findAddressFamily(name) === 6 ? `[${name}]` : name}) in permissions.allow. Only the user can add one.`,
  );
}
