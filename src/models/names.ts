import { ok, type Result, usage } from '../lib/result.ts';
import type { Environment } from './endpoints.ts';
import { aliasModels, isAlias, type ProviderName } from './facts.ts';

export interface ModelName {
  provider: ProviderName;
  /** The provider's own id. */
  id: string;
}

/** What is reachable, as far as names depend on it. */
export interface Reachable {
  anthropic: boolean;
  openai: boolean;
}

export const providerNames: readonly ProviderName[] = ['anthropic', 'openai'];

/** Reads `provider/id`, a bare id or an alias. */
export function parseModelName(
  name: string,
  env: Environment,
  reachable: Reachable,
  aliases: Readonly<Record<string, string>> = {},
): Result<ModelName> {
  const given = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
  if (isAlias(given)) return parseAlias(given, env, reachable);
  const [prefix = '', ...rest] = given.split('/');
  if (rest.length === 0) return parseBareId(given, env, reachable);
  const id = rest.join('/');
  const provider = providerNames.find((candidate) => candidate === prefix);
  if (provider && id) return ok({ provider, id });
  return usage(
    `Unknown model '${given}': ${provider ? 'no id follows the provider' : `there is no provider '${prefix}'`}.`,
    `Write ${providerNames.map((known) => `${known}/<id>`).join(' or ')}; a local server's model is openai/${given}.`,
  );
}

/** `ANTHROPIC_MODEL` and its kin name whatever the Anthropic endpoint serves, unless they say otherwise. */
export function parseAnthropicId(id: string): ModelName {
  const provider = providerNames.find((candidate) => id.startsWith(`${candidate}/`));
  return provider ? { provider, id: id.slice(provider.length + 1) } : { provider: 'anthropic', id };
}

function parseAlias(
  alias: keyof typeof aliasModels,
  env: Environment,
  reachable: Reachable,
): Result<ModelName> {
  const variable = `ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`;
  const chosen = env[variable];
  if (chosen) return ok(parseAnthropicId(chosen));
  if (reachable.anthropic || !reachable.openai) return ok({ provider: 'anthropic', id: aliasModels[alias] });
  return usage(
    `The alias '${alias}' stands for an Anthropic model, and only an OpenAI-compatible endpoint is configured.`,
    `Name one of its models with --model openai/<id>, or set ${variable}.`,
  );
}

function parseBareId(id: string, env: Environment, reachable: Reachable): Result<ModelName> {
  if (id.startsWith('claude-')) return ok({ provider: 'anthropic', id });
  if (/^(gpt-|chatgpt-|o\d)/.test(id)) return ok({ provider: 'openai', id });
  // A gateway may serve any id under either API; the providers themselves may not.
  const anthropic = reachable.anthropic && Boolean(env.ANTHROPIC_BASE_URL);
  const openai = reachable.openai && Boolean(env.OPENAI_BASE_URL);
  if (anthropic !== openai) return ok({ provider: anthropic ? 'anthropic' : 'openai', id });
  if (anthropic)
    return usage(`'${id}' could be a model of either endpoint.`, `Write anthropic/${id} or openai/${id}.`);
  return usage(
    `Unknown model '${id}'.`,
    `Use ${Object.keys(aliasModels).join(', ')}, an id such as ${aliasModels.sonnet}, or openai/<id> for another endpoint.`,
  );
}
