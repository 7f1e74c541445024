import type { Clock } from '../lib/clock.ts';
import { fail, ok, type Problem, type Result, usage } from '../lib/result.ts';
import type { Model } from '../protocol/index.ts';
import { readVariable } from '../settings/environment.ts';
import { settingsTable } from '../settings/table/settings.ts';
import { anthropicModel } from './anthropic/anthropic.ts';
import { type Endpoint, type Environment, findEndpoint, findKey } from './endpoints.ts';
import { findFacts, type KnownModel } from './facts.ts';
import { googleModel } from './google.ts';
import type { KeyStore } from './keys.ts';
import type { ModelParts } from './model-parts.ts';
import { type ModelName, parseAnthropicId, parseModelName } from './names.ts';
import { openaiModel } from './openai.ts';
import { addedModel, loadAdded } from './providers/added-provider.ts';
import type { AddedProvider, ProviderDirectory } from './providers/directory.ts';
import {
  formatVariableName,
  getProviderTitle,
  isBuiltIn,
  keyVariable,
  type ProviderName,
  urlVariable,
} from './providers/providers.ts';
import { checkProxy, type Fetch, openTransport, proxyHost } from './transport.ts';

export interface ModelConfig {
  env: Environment;
  keys: KeyStore;
  clock: Clock;
  /** The settings' `model` and `modelAliases`. */
  settingsModel?: string;
  aliases?: Readonly<Record<string, string>>;
  /** Replaces the network, proxies included. */
  fetch?: Fetch;
  /** The providers that the user has added; none unless given. */
  added?: ProviderDirectory;
  /** The local servers' answers about their models, by `address id`. Pass one to ask each only once. */
  asked?: Map<string, KnownModel>;
}

/**
 * The model that a name means, or, without a name, the configured one. Nothing is loaded and no request is made: the
 * first stream does that. Errors found here are for the user to fix.
 */
export function resolveModel(name: string | undefined, config: ModelConfig): Result<Model> {
  const settled = settleModel(name, config);
  return settled.ok ? createModel(settled.value, config) : settled;
}

/** A fully resolved name: which provider's model it is and how it is reached. */
export interface SettledModel extends ModelName {
  endpoint: Endpoint;
  added?: AddedProvider;
}

/** Which provider's model a name means, whether it can be reached or not. */
export function readModelName(name: string, config: ModelConfig): Result<ModelName> {
  const endpoints = findEndpoints(config);
  return endpoints.ok ? chooseModel(name, config, endpoints.value) : endpoints;
}

export function settleModel(name: string | undefined, config: ModelConfig): Result<SettledModel> {
  const endpoints = findEndpoints(config);
  if (!endpoints.ok) return endpoints;
  const chosen = chooseModel(name, config, endpoints.value);
  if (!chosen.ok) return chosen;
  const { provider } = chosen.value;
  if (!isBuiltIn(provider)) return settleAdded(chosen.value, config);
  const found = findEndpoint(provider, config.env, config.keys);
  if (!found.ok) return found;
  return found.value
    ? ok({ ...chosen.value, endpoint: found.value })
    : fail(missingKey(provider, keyVariable(provider), endpoints.value));
}

/** `facts`, if they were requested; else those of the table. */
export function createModel(
  { provider, id, endpoint, added }: SettledModel,
  config: ModelConfig,
  facts = config.asked?.get(askedKey(endpoint, id)) ?? findFacts(provider, id),
): Result<Model> {
  const transport = config.fetch ? ok(config.fetch) : openTransport(config.env);
  if (!transport.ok) return transport;
  const reachable = config.fetch ? ok(undefined) : checkProxy(new URL(endpoint.baseUrl), config.env);
  if (!reachable.ok) return reachable;
  const proxy = config.fetch ? undefined : proxyHost(endpoint.baseUrl, config.env);
  const parts: ModelParts = { endpoint, id, facts, fetch: transport.value, clock: config.clock, proxy };
  if (added) return ok(addedModel(parts, () => loadPackage(added, parts, config)));
  if (provider === 'anthropic') return ok(anthropicModel(parts));
  return ok(provider === 'google' ? googleModel(parts) : openaiModel(parts));
}

export function askedKey(endpoint: Endpoint, id: string): string {
  return `${endpoint.baseUrl} ${id}`;
}

/** The configured providers, of those that need configuration. */
export type Endpoints = Partial<Record<ProviderName, Endpoint>>;

export function findEndpoints({ env, keys }: Pick<ModelConfig, 'env' | 'keys'>): Result<Endpoints> {
  const endpoints: Endpoints = {};
  for (const provider of ['anthropic', 'openai', 'google'] as const) {
    const found = findEndpoint(provider, env, keys);
    if (!found.ok) return found;
    if (found.value) endpoints[provider] = found.value;
  }
  return ok(endpoints);
}

/** The endpoint to choose from, when only the user can say which model: only Anthropic has a default. */
export function needsModelName(
  name: string | undefined,
  config: ModelConfig,
  endpoints: Endpoints,
): Endpoint | undefined {
  const named = name ?? readVariable(settingsTable.model, config.env) ?? config.settingsModel;
  return named || endpoints.anthropic ? undefined : (endpoints.openai ?? endpoints.google);
}

function chooseModel(name: string | undefined, config: ModelConfig, endpoints: Endpoints): Result<ModelName> {
  const { env, aliases = {} } = config;
  const open = needsModelName(name, config, endpoints);
  if (open) {
    const hint = `Name one with --model ${open.provider}/<id>.`;
    return usage(`No model is set, and ${open.baseUrl} has no default model.`, hint);
  }
  const context = {
    env,
    aliases,
    isReachable: (provider: ProviderName) => endpoints[provider] !== undefined,
    added: () => addedNames(config),
  };
  if (name) return parseModelName(name, context);
  const configured = readVariable(settingsTable.model, env);
  if (configured && !/^(opus|sonnet|haiku)$/.test(configured)) return ok(parseAnthropicId(configured));
  return parseModelName(configured || config.settingsModel || 'sonnet', context);
}

function addedNames({ added }: ModelConfig): Result<string[]> {
  const known = added?.list() ?? ok([]);
  return known.ok ? ok(known.value.map(({ name }) => name)) : known;
}

function settleAdded(name: ModelName, config: ModelConfig): Result<SettledModel> {
  const { provider } = name;
  const added = config.added?.find(provider) ?? ok(undefined);
  if (!added.ok) return added;
  if (!added.value) return usage(`Unknown provider '${provider}'.`);
  const { keyVariable: variable } = added.value;
  const key = variable === null ? ok(undefined) : findKey(provider, [variable], config.env, config.keys);
  if (!key.ok) return key;
  if (variable !== null && !key.value) return fail(missingKey(provider, variable, {}));
  // The package decides where it reaches its provider; messages use the name instead.
  const baseUrl = config.env[formatVariableName(provider, 'BASE_URL')]?.trim() || `https://${provider}`;
  if (!URL.canParse(baseUrl))
    return usage(`${formatVariableName(provider, 'BASE_URL')} is not an address: ${baseUrl}`);
  const endpoint = { provider, baseUrl, key: key.value || undefined };
  return ok({ ...name, endpoint, added: added.value });
}

/** Imports the package of an added provider and makes the model. */
export function loadPackage(added: AddedProvider, { endpoint, id, fetch }: ModelParts, config: ModelConfig) {
  const baseURL = config.env[formatVariableName(added.name, 'BASE_URL')]?.trim();
  return loadAdded(config.added?.path ?? '', added, id, {
    name: added.name,
    includeUsage: true,
    fetch: fetch as typeof globalThis.fetch,
    ...(endpoint.key ? { apiKey: endpoint.key } : {}),
    ...(baseURL ? { baseURL } : {}),
  });
}

function missingKey(provider: ProviderName, variable: string, endpoints: Endpoints): Problem {
  const other = Object.keys(endpoints)[0];
  const elsewhere = isBuiltIn(provider)
    ? other
      ? `; only ${other} is configured`
      : ', and no model server is configured'
    : '';
  return {
    kind: 'usage',
    message: `No key for ${getProviderTitle(provider)}${elsewhere}.`,
    hint: [
      `Set one:       export ${variable}=…`,
      `or store it:   cadre key set ${provider}`,
      `or use a local server that speaks the OpenAI API: export ${urlVariable('openai')}=http://localhost:11434/v1`,
      'Run cadre models to see what is configured and what runs on this machine.',
      'To try Cadre without a key: cadre demo',
    ].join('\n'),
  };
}
