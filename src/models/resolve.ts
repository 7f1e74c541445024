import type { Clock } from '../lib/clock.ts';
import { fail, ok, type Problem, type Result, usage } from '../lib/result.ts';
import type { Model } from '../protocol/index.ts';
import { anthropicModel } from './anthropic.ts';
import { type Endpoint, type Environment, findEndpoint, keyVariable, urlVariable } from './endpoints.ts';
import { factsFor, type ProviderName } from './facts.ts';
import type { KeyStore } from './keys.ts';
import type { ModelParts } from './model-parts.ts';
import { type ModelName, parseAnthropicId, parseModelName, type Reachable } from './names.ts';
import { openaiModel } from './openai.ts';
import { type Fetch, openTransport } from './transport.ts';

export interface ModelConfig {
  env: Environment;
  keys: KeyStore;
  clock: Clock;
  /** The settings' `model` and `modelAliases`. */
  settingsModel?: string;
  aliases?: Readonly<Record<string, string>>;
  /** In place of the network, proxies included. */
  fetch?: Fetch;
}

/**
 * The model that a name stands for, or, without a name, the configured one. Nothing is loaded and no request
 * is made: the first stream does that. Whatever is wrong here is the user's to mend.
 */
export function resolveModel(name: string | undefined, config: ModelConfig): Result<Model> {
  const endpoints = findEndpoints(config);
  if (!endpoints.ok) return endpoints;
  const chosen = chooseModel(name, config, endpoints.value);
  if (!chosen.ok) return chosen;
  const { provider, id } = chosen.value;
  const endpoint = endpoints.value[provider];
  if (!endpoint) return fail(missingKey(provider, endpoints.value));
  const transport = config.fetch ? ok(config.fetch) : openTransport(config.env);
  if (!transport.ok) return transport;
  const facts = factsFor(provider, id);
  const parts: ModelParts = { endpoint, id, facts, fetch: transport.value, clock: config.clock };
  return ok(provider === 'anthropic' ? anthropicModel(parts) : openaiModel(parts));
}

export type Endpoints = Partial<Record<ProviderName, Endpoint>>;

export function findEndpoints({ env, keys }: Pick<ModelConfig, 'env' | 'keys'>): Result<Endpoints> {
  const anthropic = findEndpoint('anthropic', env, keys);
  if (!anthropic.ok) return anthropic;
  const openai = findEndpoint('openai', env, keys);
  if (!openai.ok) return openai;
  return ok({
    ...(anthropic.value ? { anthropic: anthropic.value } : {}),
    ...(openai.value ? { openai: openai.value } : {}),
  });
}

/** True when only the person can say which model: an OpenAI-compatible endpoint has no default. */
export function needsModelName(name: string | undefined, config: ModelConfig, endpoints: Endpoints): boolean {
  const named = name ?? config.env.ANTHROPIC_MODEL ?? config.settingsModel;
  return !named && endpoints.openai !== undefined && endpoints.anthropic === undefined;
}

function chooseModel(name: string | undefined, config: ModelConfig, endpoints: Endpoints): Result<ModelName> {
  const { env } = config;
  if (needsModelName(name, config, endpoints)) {
    const address = endpoints.openai?.baseUrl ?? '';
    return usage(`No model is named, and ${address} has no default.`, 'Name one with --model openai/<id>.');
  }
  const reachable: Reachable = { anthropic: !!endpoints.anthropic, openai: !!endpoints.openai };
  if (name) return parseModelName(name, env, reachable, config.aliases);
  const configured = env.ANTHROPIC_MODEL;
  if (configured && !/^(opus|sonnet|haiku)$/.test(configured)) return ok(parseAnthropicId(configured));
  return parseModelName(configured || config.settingsModel || 'sonnet', env, reachable, config.aliases);
}

function missingKey(provider: ProviderName, endpoints: Endpoints): Problem {
  const other = Object.keys(endpoints)[0];
  const name = provider === 'anthropic' ? 'Anthropic' : 'OpenAI';
  return {
    kind: 'usage',
    message: `There is no key for ${name}${other ? `; only ${other} is configured` : ', and no model server is configured'}.`,
    hint: [
      `Give one with: export ${keyVariable(provider)}=…`,
      `or store it:   cadre key set ${provider}`,
      `or use a local server that speaks the OpenAI API: export ${urlVariable('openai')}=http://localhost:11434/v1`,
      'To look around without any: cadre demo',
    ].join('\n'),
  };
}
