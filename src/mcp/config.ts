import { isRecord } from '../lib/fields/field-values.ts';
import { fail, ok, type Result } from '../lib/result.ts';
import type { ToolPolicy } from '../protocol/permission.ts';
import { type ConfigFault, expandValue } from './expand.ts';
import { readToolPolicies } from './tool-policy.ts';

/** Where a server was named, strongest first: of two with one name the first one is used, as a whole. */
export type ServerScope =
  | 'managed'
  | 'host'
  | 'flag'
  | 'library'
  | 'local'
  | 'project'
  | 'user'
  | 'plugin'
  | 'agent';

/** How a server is reached, ready to be used. */
export type ServerTransport =
  | { type: 'stdio'; command: string; args: string[]; env: Record<string, string>; cwd?: string }
  | RemoteTransport
  /** The program that drives the session runs it, and passes its messages. */
  | { type: 'host' };

export interface RemoteTransport {
  type: 'http' | 'sse';
  url: string;
  headers: Record<string, string>;
  /** A command that prints more headers, for each connection. */
  headersHelper?: string;
  /** A client that was registered beforehand, and the port that it was registered with. */
  oauth?: { clientId?: string; clientSecret?: string; callbackPort?: number; scope?: string };
}

export interface ServerConfig {
  name: string;
  transport: ServerTransport;
  scope: ServerScope;
  /** File or flag, for explanations. */
  source: string;
  /** Timeout of one tool call, if the server's entry sets it. */
  toolTimeoutMs?: number;
  /** Progress does not extend it. */
  isTimeoutFixed?: true;
  /** By the server's own names of its tools. */
  toolPolicies?: Readonly<Record<string, ToolPolicy>> | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one entry of `mcpServers`. Variables are filled in; a missing one is an error, not an empty string. */
export function readServer(
  name: string,
  value: unknown,
  origin: {
    scope: ServerScope;
    source: string;
    /** Without it variables stay as written: only the shape is checked. */
    environment?: Environment;
  },
): Result<ServerConfig, ConfigFault> {
  if (!isRecord(value)) return wrong('', 'an object with command or url');
  if (!isServerName(name)) return wrong('', 'a name of at most 64 characters without control characters');
  const expanded = origin.environment ? expandValue(value, origin.environment) : ok(value);
  if (!expanded.ok) return expanded;
  const entry = expanded.value as Record<string, unknown>;
  const transport = readTransport(entry);
  if (!transport.ok) return transport;
  const { timeout } = entry;
  if (timeout !== undefined && !isPositive(timeout)) return wrong('timeout', 'milliseconds');
  return ok({
    name,
    transport: transport.value,
    scope: origin.scope,
    source: origin.source,
    toolTimeoutMs: isPositive(timeout) ? timeout : undefined,
    toolPolicies: readToolPolicies(entry.tools),
  });
}

export function describeFault(name: string, { field, expected }: ConfigFault): string {
  return `mcpServers.${name}${field === '' ? '' : `.${field}`}: expected ${expected}`;
}

function readTransport(entry: Record<string, unknown>): Result<ServerTransport, ConfigFault> {
  const type = entry.type ?? (typeof entry.url === 'string' ? 'http' : 'stdio');
  switch (type) {
    case 'stdio':
      return readStdioTransport(entry);
    case 'http':
    case 'streamable-http':
    case 'streamableHttp':
      return readRemoteTransport(entry, 'http');
    case 'sse':
      return readRemoteTransport(entry, 'sse');
    default:
      return wrong('type', 'stdio, http or sse');
  }
}

function readStdioTransport(entry: Record<string, unknown>): Result<ServerTransport, ConfigFault> {
  const { command, args = [], env = {}, cwd } = entry;
  if (typeof command !== 'string' || command === '' || command.includes('\0'))
    return wrong('command', 'the program to start');
  if (!Array.isArray(args) || !args.every(isPlainText)) return wrong('args', 'a list of strings');
  if (!isTexts(env)) return wrong('env', 'an object of strings');
  if (cwd !== undefined && !isPlainText(cwd)) return wrong('cwd', 'a directory');
  return ok({ type: 'stdio', command, args, env, cwd });
}

function readRemoteTransport(
  entry: Record<string, unknown>,
  type: 'http' | 'sse',
): Result<ServerTransport, ConfigFault> {
  const { url, headers = {} } = entry;
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    return wrong('url', 'an http or https address');
  if (!isTexts(headers)) return wrong('headers', 'an object of strings');
  const bad = badHeader(headers);
  if (bad !== undefined)
    return wrong(`headers.${bad.slice(0, 40)}`, 'a valid header name and a value on one line');
  const { headersHelper } = entry;
  if (headersHelper !== undefined && (!isPlainText(headersHelper) || headersHelper.trim() === ''))
    return wrong('headersHelper', 'a command that prints headers as JSON');
  const oauth = readOauth(entry.oauth);
  if (!oauth.ok) return oauth;
  return ok({ type, url, headers, headersHelper, oauth: oauth.value });
}

/** The name of a header that could not be sent as it is. */
export function badHeader(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name, text]) => !/^[\w-]+$/.test(name) || /[\r\n\0]/.test(text))?.[0];
}

function readOauth(given: unknown): Result<RemoteTransport['oauth'], ConfigFault> {
  if (given === undefined) return ok(undefined);
  if (!isRecord(given)) return wrong('oauth', 'an object with clientId or callbackPort');
  const { clientId, clientSecret, callbackPort, scope } = given;
  const texts = Object.entries({ clientId, clientSecret, scope });
  const odd = texts.find(([, value]) => value !== undefined && !isPlainText(value));
  if (odd) return wrong(`oauth.${odd[0]}`, 'a string');
  if (callbackPort !== undefined && !isPort(callbackPort)) return wrong('oauth.callbackPort', 'a port');
  return ok({
    clientId: isPlainText(clientId) ? clientId : undefined,
    clientSecret: isPlainText(clientSecret) ? clientSecret : undefined,
    scope: isPlainText(scope) ? scope : undefined,
    callbackPort: isPort(callbackPort) ? callbackPort : undefined,
  });
}

function isPort(value: unknown): value is number {
  return isPositive(value) && Number.isInteger(value) && value < 65_536;
}

/** Shown to people and sent to models, so it must not contain invisible characters. */
function isServerName(name: string): boolean {
  return name.length > 0 && name.length <= 64 && !/[\p{C}\p{Z}]/u.test(name.replaceAll(' ', ''));
}

function isPositive(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every(isPlainText);
}

function wrong(field: string, expected: string): Result<never, ConfigFault> {
  return fail({ field, expected });
}
