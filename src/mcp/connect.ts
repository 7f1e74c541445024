import { pathToFileURL } from 'node:url';
import type { Client, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import { version } from '../lib/version.ts';
import { networkTrouble } from '../models/network-trouble.ts';
import type { Elicitation } from '../protocol/index.ts';
import type { AuthStore } from './auth-store.ts';
import type { RemoteTransport, ServerConfig } from './config.ts';
import { describeServerError } from './invalid-result.ts';
import { quietValidator } from './json-validator.ts';
import { NeedsLogin, storedLogin } from './oauth.ts';
import { serverEnvironment } from './server-environment.ts';
import { openFetch } from './transport/bounded-fetch.ts';
import { type HostServers, HostTransport } from './transport/host.ts';
import { MessageRate } from './transport/message-rate.ts';
import { StdioTransport } from './transport/stdio.ts';

/** The connections' view of the session. */
export interface ConnectionSurroundings {
  clock: Clock;
  cwd: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The session's mark for processes. */
  owner: string;
  auth: AuthStore;
  host?: HostServers;
  /** Puts a server's question to the user; declines if no one attends the session. */
  elicit(elicitation: Elicitation, signal: AbortSignal): Promise<ElicitAnswer>;
}

export interface ElicitAnswer {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

/** An open connection. */
export interface LiveClient {
  client: Client;
  pid: number | undefined;
  /** How the server's process ended, if it is one. */
  describeEnd(): string | undefined;
  close(): Promise<void>;
}

export interface ConnectFailure {
  kind: 'failed' | 'needs-auth';
  reason: string;
  /** It did not answer at all within its time. */
  isSilence?: boolean;
}

/** One attempt to reach a server. A failed attempt is undone. */
export async function connectClient(
  server: ServerConfig,
  around: ConnectionSurroundings,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result<LiveClient, ConnectFailure>> {
  const first = await attempt(server, around, timeoutMs, signal, 'legacy');
  // A server that knows only the newer protocol refuses the older handshake; an absent one refuses everything.
  if (first.ok || !first.problem.speaksOtherwise || signal.aborted) return first;
  return attempt(server, around, timeoutMs, signal, 'auto');
}

type AttemptFailure = ConnectFailure & { speaksOtherwise?: boolean };

async function attempt(
  server: ServerConfig,
  around: ConnectionSurroundings,
  timeoutMs: number,
  signal: AbortSignal,
  mode: 'legacy' | 'auto',
): Promise<Result<LiveClient, AttemptFailure>> {
  const sdk = await import('@modelcontextprotocol/client');
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const made = makeTransport(sdk, await withHelperHeaders(server, around, signal), around, giveUp);
  if (!made.ok) return fail({ kind: 'failed', reason: made.problem.message });
  const { transport, describeEnd } = made.value;
  const client = new sdk.Client(
    { name: 'cadre', version },
    {
      capabilities: { elicitation: { form: { applyDefaults: true }, url: {} }, roots: {} },
      jsonSchemaValidator: quietValidator,
      versionNegotiation: { mode },
    },
  );
  answerServer(client, server.name, around);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  const cancel = around.clock.after(timeoutMs, giveUp);
  // The transport's own start may hang where our signal does not reach it.
  const gaveUp = new Promise<never>((_, reject) =>
    limit.signal.addEventListener('abort', () => reject(new Error('gave up')), { once: true }),
  );
  gaveUp.catch(() => {});
  try {
    await Promise.race([
      client.connect(transport, { timeout: timeoutMs + 60_000, signal: limit.signal }),
      gaveUp,
    ]);
    return ok({
      client,
      pid: transport instanceof StdioTransport ? transport.pid : undefined,
      describeEnd,
      close: () => closeQuietly(client, transport),
    });
  } catch (error) {
    const timedOut = limit.signal.aborted && !signal.aborted && !made.value.hasOffended();
    const failure = timedOut
      ? {
          kind: 'failed' as const,
          reason: `It did not answer within ${timeoutMs / 1000} s.`,
          isSilence: true,
        }
      : explain(sdk, error, server, made.value);
    await closeQuietly(client, transport);
    return fail(failure);
  } finally {
    cancel();
    signal.removeEventListener('abort', giveUp);
  }
}

interface Way {
  transport: Transport;
  /** How the server ended, if that is known. */
  describeEnd(): string | undefined;
  /** Whether it was ended because of what it sent. */
  hasOffended(): boolean;
}

type Sdk = typeof import('@modelcontextprotocol/client');

/** Headers that a helper prints take precedence over the configured ones. */
async function withHelperHeaders(
  server: ServerConfig,
  { cwd, environment, owner, clock }: ConnectionSurroundings,
  signal: AbortSignal,
): Promise<Result<ServerConfig>> {
  const { name, transport } = server;
  if (transport.type !== 'http' && transport.type !== 'sse') return ok(server);
  const { headersHelper: command, url } = transport;
  if (command === undefined) return ok(server);
  const { runHeadersHelper } = await import('./headers-helper.ts');
  const made = await runHeadersHelper({ command, name, url, cwd, environment, owner, clock, signal });
  if (!made.ok) return made;
  return ok({ ...server, transport: { ...transport, headers: { ...transport.headers, ...made.value } } });
}

function makeTransport(
  sdk: Sdk,
  prepared: Result<ServerConfig>,
  around: ConnectionSurroundings,
  giveUp: () => void,
): Result<Way> {
  if (!prepared.ok) return prepared;
  const server = prepared.value;
  const { transport } = server;
  const { cwd, environment, owner, clock, host } = around;
  if (transport.type === 'stdio') {
    const stdio = new StdioTransport({
      command: transport.command,
      args: transport.args,
      env: serverEnvironment(environment, transport.env, cwd),
      cwd: transport.cwd ?? cwd,
      owner,
      clock,
    });
    return ok({ transport: stdio, describeEnd: () => stdio.describeEnd(), hasOffended: () => false });
  }
  if (transport.type === 'host') {
    if (host) return ok({ transport: new HostTransport(host, server.name), ...unknownEnd });
    return fail({ kind: 'failure', message: 'The program that ran it has ended.' });
  }
  return remoteTransport(sdk, transport, around, giveUp);
}

const unknownEnd = { describeEnd: () => undefined, hasOffended: () => false };

function remoteTransport(
  sdk: Sdk,
  server: RemoteTransport,
  { environment, auth, clock }: ConnectionSurroundings,
  giveUp: () => void,
): Result<Way> {
  const rate = new MessageRate(clock, () => {
    // A transport that is still being opened does not report that it was closed.
    giveUp();
    void transport.close();
  });
  const opened = openFetch(environment, rate);
  if (!opened.ok) return opened;
  const authProvider = storedLogin(server, auth);
  const options = { fetch: opened.value, requestInit: { headers: server.headers }, authProvider };
  const url = new URL(server.url);
  const transport: Transport =
    server.type === 'sse'
      ? new sdk.SSEClientTransport(url, options)
      : new sdk.StreamableHTTPClientTransport(url, options);
  return ok({ transport, describeEnd: () => rate.offence, hasOffended: () => rate.offence !== undefined });
}

/** Requests that a server may make: the workspace's location, and questions to the user. It cannot use our model. */
function answerServer(client: Client, server: string, around: ConnectionSurroundings): void {
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(around.cwd).href, name: 'workspace' }],
  }));
  client.setRequestHandler('elicitation/create', async ({ params }, context) => {
    const { message } = params;
    const asked: Elicitation =
      params.mode === 'url'
        ? { server, message, mode: 'url', url: params.url, id: params.elicitationId }
        : { server, message, mode: 'form', schema: params.requestedSchema as Record<string, unknown> };
    const answer = await around.elicit(asked, context.mcpReq.signal);
    return answer.action === 'accept' && params.mode !== 'url'
      ? { action: 'accept', content: answer.content ?? {} }
      : { action: answer.action };
  });
}

function explain(
  sdk: Sdk,
  error: unknown,
  server: ServerConfig,
  { transport, describeEnd, hasOffended }: Way,
): AttemptFailure {
  if (isUnauthorised(sdk, error)) return { kind: 'needs-auth', reason: loginHint(server.name) };
  if (transport instanceof StdioTransport && transport.pid === undefined)
    return { kind: 'failed', reason: transport.describeEnd() };
  if (hasOffended()) return { kind: 'failed', reason: describeEnd() ?? '' };
  const trouble = 'url' in server.transport ? networkTrouble(error) : undefined;
  if (trouble !== undefined && 'url' in server.transport)
    return { kind: 'failed', reason: `Cannot connect to ${new URL(server.transport.url).host}: ${trouble}.` };
  const said = describeServerError(error);
  const speaksOtherwise = error instanceof sdk.ProtocolError || isHttpStatus(error, 400);
  if (transport instanceof StdioTransport && !speaksOtherwise)
    return { kind: 'failed', reason: `${said}. ${transport.describeEnd()}` };
  return { kind: 'failed', reason: said, speaksOtherwise };
}

export function loginHint(server: string): string {
  return `It requires a login: cadre mcp login ${server}`;
}

/** Whether a server answered that we are not authorised. */
export async function isRefusal(error: unknown): Promise<boolean> {
  return isUnauthorised(await import('@modelcontextprotocol/client'), error);
}

function isUnauthorised(sdk: Pick<Sdk, 'UnauthorizedError'>, error: unknown): boolean {
  return error instanceof NeedsLogin || error instanceof sdk.UnauthorizedError || isHttpStatus(error, 401);
}

export function isHttpStatus(error: unknown, status: number): boolean {
  if (!isRecord(error) && !(error instanceof Error)) return false;
  const { status: own, code, data } = error as { status?: unknown; code?: unknown; data?: unknown };
  return own === status || code === status || (isRecord(data) && data.status === status);
}

async function closeQuietly(client: Client, transport: Transport): Promise<void> {
  try {
    await client.close();
  } catch {}
  try {
    await transport.close();
  } catch {}
}
