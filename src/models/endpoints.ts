import { ok, type Result, usage } from '../lib/result.ts';
import type { ProviderName } from './facts.ts';
import type { KeyStore } from './keys.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a provider is reached, and with what. */
export interface Endpoint {
  provider: ProviderName;
  /** With `/v1`, without a slash at the end. */
  baseUrl: string;
  /** Sent as the provider's own key header; absent for a server that needs none. */
  key?: string;
  /** Sent as a bearer token instead of a key. */
  token?: string;
}

const standardUrls: Record<ProviderName, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
};

/** Undefined when nothing is configured for the provider. */
export function findEndpoint(
  provider: ProviderName,
  env: Environment,
  keys: KeyStore,
): Result<Endpoint | undefined> {
  const url = baseUrlOf(provider, env);
  if (!url.ok) return url;
  const token = provider === 'anthropic' ? env.ANTHROPIC_AUTH_TOKEN : undefined;
  if (token) return ok({ provider, baseUrl: url.value, token });
  const key = env[keyVariable(provider)];
  if (key) return ok({ provider, baseUrl: url.value, key });
  const stored = keys.readKey(provider);
  if (!stored.ok) return stored;
  if (stored.value) return ok({ provider, baseUrl: url.value, key: stored.value });
  return ok(needsNoKey(provider, url.value, env) ? { provider, baseUrl: url.value } : undefined);
}

export function keyVariable(provider: ProviderName): string {
  return `${provider.toUpperCase()}_API_KEY`;
}

export function urlVariable(provider: ProviderName): string {
  return `${provider.toUpperCase()}_BASE_URL`;
}

function baseUrlOf(provider: ProviderName, env: Environment): Result<string> {
  const variable = urlVariable(provider);
  const given = env[variable]?.trim();
  if (!given) return ok(standardUrls[provider]);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return usage(
      `${variable} is not an http(s) address: ${given}`,
      'Expected something like http://localhost:11434/v1.',
    );
  }
  return ok(versioned(provider, given.replace(/\/+$/, ''), url));
}

/**
 * Anthropic's variable is written with and without `/v1`, and the API is always below it. For the OpenAI
 * kind the path is the server's own affair: only a bare host gets the usual one.
 */
function versioned(provider: ProviderName, given: string, url: URL): string {
  const complete = provider === 'anthropic' ? given.endsWith('/v1') : url.pathname !== '/';
  return complete ? given : `${given}/v1`;
}

/** Setting an OpenAI base URL says "there is a server"; Anthropic's is trusted without a key on this machine only. */
function needsNoKey(provider: ProviderName, baseUrl: string, env: Environment): boolean {
  if (!env[urlVariable(provider)]) return false;
  return provider === 'openai' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(baseUrl).hostname);
}
