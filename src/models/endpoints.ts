import { ok, type Result, usage } from '../lib/result.ts';
import { checkKey, type KeyStore } from './keys.ts';
import {
  type BuiltInName,
  builtInProviders,
  keyVariable,
  type ProviderName,
  urlVariable,
} from './providers/providers.ts';

export { keyVariable, urlVariable };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a provider is reached, and with which credentials. */
export interface Endpoint {
  provider: ProviderName;
  /** With `/v1`, without a slash at the end. */
  baseUrl: string;
  /** Sent as the provider's own key header; absent for a server that needs none. */
  key?: string;
  /** Sent as a bearer token instead of a key. */
  token?: string;
}

/** Undefined when nothing is configured for the provider. A local server can always be tried. */
export function findEndpoint(
  provider: BuiltInName,
  env: Environment,
  keys: KeyStore,
): Result<Endpoint | undefined> {
  const url = resolveBaseUrl(provider, env);
  if (!url.ok) return url;
  const token = provider === 'anthropic' ? env.ANTHROPIC_AUTH_TOKEN : undefined;
  if (token) {
    const usable = checkKey(token.trim(), 'ANTHROPIC_AUTH_TOKEN');
    return usable.ok ? ok({ provider, baseUrl: url.value, token: token.trim() }) : usable;
  }
  const key = findKey(provider, builtInProviders[provider].keyVariables, env, keys);
  if (!key.ok) return key;
  if (key.value) return ok({ provider, baseUrl: url.value, key: key.value });
  return ok(needsNoKey(provider, url.value, env) ? { provider, baseUrl: url.value } : undefined);
}

/** A key in the environment takes precedence over a stored one. */
export function findKey(
  provider: ProviderName,
  variables: readonly string[],
  env: Environment,
  keys: KeyStore,
): Result<string | undefined> {
  const variable = variables.find((name) => env[name]?.trim());
  if (variable === undefined) return readStored(provider, keys);
  const given = env[variable]?.trim() ?? '';
  const usable = checkKey(given, variable);
  return usable.ok ? ok(given) : usable;
}

function readStored(provider: ProviderName, keys: KeyStore): Result<string | undefined> {
  const stored = keys.readKey(provider);
  if (!stored.ok || stored.value === undefined) return stored;
  const usable = checkKey(stored.value, `The stored key for ${provider}`);
  return usable.ok ? stored : usable;
}

/** The address that the user gave, if any, as written. */
export function givenUrl(
  provider: BuiltInName,
  env: Environment,
): { variable: string; url: string } | undefined {
  for (const variable of builtInProviders[provider].urlVariables) {
    const url = env[variable]?.trim();
    if (url) return { variable, url };
  }
  return undefined;
}

export function isLoopback(baseUrl: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);
}

function resolveBaseUrl(provider: BuiltInName, env: Environment): Result<string> {
  const given = givenUrl(provider, env);
  if (!given) return ok(builtInProviders[provider].url);
  const text = given.variable === 'OLLAMA_HOST' ? ollamaAddress(given.url) : given.url;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return usage(
      `${given.variable} is not an http(s) address: ${given.url}`,
      `Expected something like ${builtInProviders[builtInProviders[provider].isLocal ? provider : 'ollama'].url}.`,
    );
  }
  return ok(versioned(provider, text.replace(/\/+$/, ''), url));
}

/** Ollama's own variable also says where to listen: scheme, host and port may each be missing. */
function ollamaAddress(given: string): string {
  if (/^[a-z]+:\/\//i.test(given)) return given;
  const [, host = '', port = '11434', path = ''] =
    /^(\[[^\]]*\]|[^:/]*)(?::(\d+))?(\/.*)?$/.exec(given) ?? [];
  return `http://${/^(0\.0\.0\.0|\[::\]|)$/.test(host) ? '127.0.0.1' : host}:${port}${path}`;
}

/**
 * Anthropic's variable is written with and without `/v1`, and the API is always below it. For the others the path
 * belongs to the server: only a bare host gets the usual one.
 */
function versioned(provider: BuiltInName, given: string, url: URL): string {
  const complete = provider === 'anthropic' ? given.endsWith('/v1') : url.pathname !== '/';
  return complete ? given : `${given}${builtInProviders[provider].path}`;
}

/** An OpenAI base URL means that there is a server; the others are used without a key only on this machine. */
function needsNoKey(provider: BuiltInName, baseUrl: string, env: Environment): boolean {
  if (builtInProviders[provider].isLocal) return true;
  if (!givenUrl(provider, env)) return false;
  return provider === 'openai' || isLoopback(baseUrl);
}
