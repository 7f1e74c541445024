import { readFileSync } from 'node:fs';
import { getErrorCode, ok, type Result, usage } from '../lib/result.ts';
import type { Environment } from './endpoints.ts';
import { IncompleteAnswer } from './failures.ts';

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** One for each environment: the certificates may be a large file, and a session resolves a model for every agent. */
const opened = new WeakMap<Environment, Result<Fetch>>();

/** `fetch` that goes through the proxy and trusts the certificates that the environment names. */
export function openTransport(env: Environment): Result<Fetch> {
  const known = opened.get(env) ?? open(env);
  opened.set(env, known);
  return known;
}

function open(env: Environment): Result<Fetch> {
  const extra = readExtraAuthorities(env.NODE_EXTRA_CA_CERTS);
  if (!extra.ok) return extra;
  const proxied = proxyVariables.some((name) => env[name]);
  if (!extra.value && !proxied) return ok(withoutRedirects((url, init) => fetch(url, init)));
  let route: Promise<Route> | undefined;
  return ok(
    withoutRedirects(async (url, init) => {
      const address = parseAddress(url);
      const usable = checkProxy(address, env);
      if (!usable.ok) throw new IncompleteAnswer(`${usable.problem.message} ${usable.problem.hint ?? ''}`);
      route ??= openRoute(extra.value);
      return (await route)(url, init, findProxy(address, env));
    }),
  );
}

/** Key and conversation are for the address that the user named: a redirect gets neither. */
function withoutRedirects(send: Fetch): Fetch {
  return async (url, init) => {
    const response = await send(url, { ...init, redirect: 'manual' });
    if (response.status < 300 || response.status > 399) return response;
    await response.body?.cancel();
    const target = response.headers.get('location') ?? 'nowhere';
    throw new IncompleteAnswer(
      `it redirects to ${target.slice(0, 200)}, and redirects are not followed. Check the base URL.`,
    );
  };
}

const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];

/** Refuses a proxy of another kind: the request would wait for an answer that cannot come. */
export function checkProxy(address: URL, env: Environment): Result<void> {
  const variable = findProxyVariable(address, env);
  if (variable === undefined) return ok(undefined);
  const value = env[variable] ?? '';
  const proxy = addScheme(value);
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return ok(undefined);
  // The value may hold a password: only its scheme is shown.
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1];
  return usage(
    `${variable} is not the address of an http(s) proxy${scheme ? `: it begins with ${scheme}://` : ''}.`,
    `Expected something like http://127.0.0.1:3128. Change it, or unset ${variable}.`,
  );
}

/** The proxy for an address, if any; lower-case variables take precedence, as everywhere. */
export function findProxy(address: URL, env: Environment): string | undefined {
  const variable = findProxyVariable(address, env);
  return variable === undefined ? undefined : addScheme(env[variable] ?? '');
}

function findProxyVariable(address: URL, env: Environment): string | undefined {
  const secure = address.protocol === 'https:';
  const variable = (secure ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']).find(
    (name) => env[name],
  );
  return isExcepted(address, env.no_proxy || env.NO_PROXY || '') ? undefined : variable;
}

function addScheme(value: string): string {
  return value.includes('://') ? value : `http://${value}`;
}

/** The proxy for an address, for messages: without its password. */
export function proxyHost(address: string, env: Environment): string | undefined {
  const proxy = findProxy(new URL(address), env);
  if (proxy === undefined) return undefined;
  return URL.canParse(proxy) ? new URL(proxy).host : 'whose address is invalid';
}

/** `NO_PROXY`: names with all below them, optionally with a port; `*` is everything. */
function isExcepted(address: URL, list: string): boolean {
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, host = '', entryPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (!host || (entryPort && entryPort !== port)) return false;
    return address.hostname === host || address.hostname.endsWith(`.${host}`);
  });
}

export function readExtraAuthorities(path: string | undefined): Result<string | undefined> {
  if (!path) return ok(undefined);
  try {
    return ok(readFileSync(path, 'utf8'));
  } catch (error) {
    const message = `Cannot read the certificates in NODE_EXTRA_CA_CERTS: ${path} (${getErrorCode(error)}).`;
    return usage(message, 'Set the variable to a PEM file, or unset it.');
  }
}

type Route = (
  url: string | URL | Request,
  init: RequestInit | undefined,
  proxy: string | undefined,
) => Promise<Response>;

async function openRoute(extraAuthority: string | undefined): Promise<Route> {
  // Naming any authority replaces the built-in ones, so they are included.
  const ca = extraAuthority ? [...(await import('node:tls')).rootCertificates, extraAuthority] : undefined;
  return 'Bun' in globalThis ? bunRoute(ca) : await nodeRoute(ca);
}

function bunRoute(ca: string[] | undefined): Route {
  return (url, init, proxy) => {
    const options = { ...init, ...(proxy ? { proxy } : {}), ...(ca ? { tls: { ca } } : {}) };
    return fetch(url, options);
  };
}

/** Node's own `fetch` supports no proxy; the library behind it does. It is loaded only here. */
async function nodeRoute(ca: string[] | undefined): Promise<Route> {
  const { Agent, fetch: undiciFetch, ProxyAgent } = await import('undici');
  const tls = ca ? { ca } : {};
  const direct = new Agent({ connect: tls });
  const proxies = new Map<string, InstanceType<typeof ProxyAgent>>();
  return async (url, init, proxy) => {
    if (proxy && !proxies.has(proxy)) {
      proxies.set(proxy, new ProxyAgent({ uri: proxy, requestTls: tls, proxyTls: tls }));
    }
    const dispatcher = (proxy && proxies.get(proxy)) || direct;
    const response = await undiciFetch(parseAddress(url), { ...(init as object), dispatcher });
    return response as unknown as Response;
  };
}

function parseAddress(url: string | URL | Request): URL {
  return new URL(typeof url === 'string' || url instanceof URL ? url : url.url);
}
