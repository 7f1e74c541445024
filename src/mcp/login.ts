import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, sleep } from '../lib/clock.ts';
import { failure, formatError, ok, type Result } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import type { Fetch } from '../models/transport.ts';
import type { AuthStore } from './auth-store.ts';
import type { RemoteTransport } from './config.ts';
import { LoginProvider, loopback } from './oauth.ts';

export interface Login {
  server: RemoteTransport;
  store: AuthStore;
  fetch: Fetch;
  clock: Clock;
  /** Shows the user where to go. */
  show(url: string): void | Promise<void>;
  signal: AbortSignal;
  timeoutMs?: number;
}

const patienceMs = 5 * 60_000;

/**
 * Logs the user in to a server: the browser shows the authority's page and returns to a port of ours on this machine.
 */
export async function logIn(login: Login): Promise<Result<'already' | 'done'>> {
  const { auth } = await import('@modelcontextprotocol/client');
  const callback = await openCallback(login.server.oauth?.callbackPort ?? 0);
  if (!callback.ok) return callback;
  const { server, port, answer } = callback.value;
  const provider = new LoginProvider({
    server: login.server,
    store: login.store,
    redirectUrl: loopback(port),
    open: (url) => login.show(url.href),
  });
  const { resourceMetadataUrl, scope: asked } = await fetchChallenge(login);
  const scope = login.server.oauth?.scope ?? login.store.read(login.server.url)?.wantedScope ?? asked;
  const options = { serverUrl: login.server.url, fetchFn: login.fetch, resourceMetadataUrl, scope };
  const answered = answer(provider.stateToken);
  try {
    // The earlier registration has another port, so this is another client.
    if (!login.server.oauth?.clientId) await login.store.change(login.server.url, { client: undefined });
    if ((await auth(provider, { ...options, forceReauthorization: true })) === 'AUTHORIZED')
      return ok('already');
    const params = await awaitCallback(answered, login);
    if (!params.ok) return params;
    const code = params.value.get('code') ?? '';
    const iss = params.value.get('iss');
    await auth(provider, { ...options, authorizationCode: code, iss: iss ?? undefined });
    await login.store.change(login.server.url, { wantedScope: undefined });
    return ok('done');
  } catch (error) {
    return failure(`The login to ${login.server.url} failed: ${visibleLine(formatError(error), 300)}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The server's answer to an unauthorised request: which authority to use, and for which scope. */
async function fetchChallenge({
  server,
  fetch,
}: Login): Promise<{ resourceMetadataUrl?: URL; scope?: string }> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  try {
    // Some servers accept the connection and refuse the requests.
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/list' });
    const asStream = { accept: 'text/event-stream' };
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const response = await fetch(
      server.url,
      server.type === 'sse' ? { headers: asStream } : { method: 'POST', headers, body },
    );
    await response.body?.cancel();
    return response.status === 401 || response.status === 403 ? extractWWWAuthenticateParams(response) : {};
  } catch {
    return {};
  }
}

interface Callback {
  server: Server;
  port: number;
  /** Resolves with the parameters of the first response that carries our own state. */
  answer(state: string): Promise<URLSearchParams>;
}

/** On the loopback address only: no other machine can reach it. */
function openCallback(wanted: number): Promise<Result<Callback>> {
  let take: (params: URLSearchParams) => void = () => {};
  let expected: string | undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isOurs =
      request.method === 'GET' && url.pathname === '/callback' && url.searchParams.get('state') === expected;
    response.writeHead(isOurs ? 200 : 400, {
      'content-type': 'text/plain; charset=utf-8',
      connection: 'close',
    });
    response.end(
      isOurs
        ? 'You can close this page and go back to the terminal.\n'
        : 'Unexpected login response (the state does not match). Start again with: cadre mcp login\n',
    );
    if (isOurs) take(url.searchParams);
  });
  const answer = (state: string) => {
    expected = state;
    return new Promise<URLSearchParams>((resolve) => {
      take = resolve;
    });
  };
  return new Promise((resolve) => {
    server.once('error', (error) =>
      resolve(failure(`Cannot listen on 127.0.0.1:${wanted} for the login: ${formatError(error)}`)),
    );
    server.listen(wanted, '127.0.0.1', () =>
      resolve(ok({ server, port: (server.address() as AddressInfo).port, answer })),
    );
  });
}

async function awaitCallback(
  answer: Promise<URLSearchParams>,
  login: Login,
): Promise<Result<URLSearchParams>> {
  const enough = new AbortController();
  const giveUp = () => enough.abort();
  login.signal.addEventListener('abort', giveUp, { once: true });
  const late = sleep(login.clock, login.timeoutMs ?? patienceMs, enough.signal).then(() => undefined);
  const params = await Promise.race([answer, late]);
  enough.abort();
  login.signal.removeEventListener('abort', giveUp);
  if (!params)
    return failure('The login was not completed in the browser in time.', 'Run the command again.');
  const refused = params.get('error');
  if (refused === null) return ok(params);
  return failure(`The login was refused: ${visibleLine(params.get('error_description') ?? refused, 300)}`);
}
