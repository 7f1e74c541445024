import { ok, type Result, usage } from '../lib/result.ts';
import { visibleLine } from '../lib/text/text.ts';
import { type Environment, givenUrl } from './endpoints.ts';
import { aliasModels, isAlias } from './facts.ts';
import { isBuiltIn, type ProviderName, providerNames } from './providers/providers.ts';

export { providerNames };

export interface ModelName {
  provider: ProviderName;
  /** The provider's own id. */
  id: string;
}

/** The context in which a name is read. */
export interface NameContext {
  env: Environment;
  /** Whether a key or an address is configured for a provider. */
  isReachable(provider: ProviderName): boolean;
  /** Of the settings. */
  aliases?: Readonly<Record<string, string>>;
  /** The providers that the user has added; looked up only if no built-in one matches. */
  added(): Result<readonly string[]>;
}

/** Reads `provider/id`, a bare id or an alias. */
export function parseModelName(name: string, context: NameContext): Result<ModelName> {
  const { aliases = {} } = context;
  const given = (Object.hasOwn(aliases, name) ? aliases[name] : undefined) ?? name;
  if (isAlias(given)) return parseAlias(given, context);
  if (!couldBeId(given))
    return usage(
      `${visibleLine(given, 80)} is not a valid model name.`,
      'Write the provider and the id without quotes: openai/<id>.',
    );
  const [prefix = '', ...rest] = given.split('/');
  if (rest.length === 0) return parseBareId(given, context);
  return parsePrefixed(given, prefix, rest.join('/'), context);
}

/** Providers name models as they like, but never with quotes or control characters, and never only with symbols. */
function couldBeId(name: string): boolean {
  return !/["'`\p{Cc}\p{Cf}]/u.test(name) && (name.endsWith('/') || /[\p{L}\p{N}][^/]*$/u.test(name));
}

/** `ANTHROPIC_MODEL` and similar name whatever the Anthropic endpoint serves, unless they say otherwise. */
export function parseAnthropicId(id: string): ModelName {
  const provider = providerNames.find((candidate) => id.startsWith(`${candidate}/`));
  return provider ? { provider, id: id.slice(provider.length + 1) } : { provider: 'anthropic', id };
}

function parsePrefixed(given: string, prefix: string, id: string, context: NameContext): Result<ModelName> {
  const added = isBuiltIn(prefix) ? ok([]) : context.added();
  if (!added.ok) return added;
  const isKnown = isBuiltIn(prefix) || added.value.includes(prefix);
  if (isKnown && id) return ok({ provider: prefix, id });
  if (isKnown) return usage(`Unknown model '${given}': no id follows the provider.`, `Write ${prefix}/<id>.`);
  return usage(
    `Unknown model '${given}': unknown provider '${prefix}'.`,
    [
      `Known providers: ${[...providerNames, ...added.value].join(', ')}; write one of them and the id: openai/<id>.`,
      `For a model on your own server, write openai/${given}.`,
      'Add another provider by its AI SDK package: cadre providers add <npm-package>',
    ].join('\n'),
  );
}

function parseAlias(alias: keyof typeof aliasModels, { env, isReachable }: NameContext): Result<ModelName> {
  const variable = `ANTHROPIC_DEFAULT_${alias.toUpperCase()}_MODEL`;
  const chosen = env[variable];
  if (chosen) return ok(parseAnthropicId(chosen));
  const other = isReachable('anthropic') ? undefined : ['openai', 'google'].find(isReachable);
  if (!other) return ok({ provider: 'anthropic', id: aliasModels[alias] });
  const configured = other === 'openai' ? 'an OpenAI-compatible endpoint' : 'Google';
  return usage(
    `The alias '${alias}' means an Anthropic model, but only ${configured} is configured.`,
    `Name one of its models with --model ${other}/<id>, or set ${variable}.`,
  );
}

/** Words of other products, and titles: asking a server for them would close the way to it. */
const foreignAlias = /^(?:fable|opusplan|(?:opus|sonnet|haiku|fable)\[1m\])$|\s/i;

function parseBareId(id: string, { env, isReachable }: NameContext): Result<ModelName> {
  if (id.startsWith('claude-')) return ok({ provider: 'anthropic', id });
  if (id.startsWith('gemini-')) return ok({ provider: 'google', id });
  if (/^(gpt-|chatgpt-|o\d)/.test(id)) return ok({ provider: 'openai', id });
  // A gateway may serve any id under either API; the providers themselves do not.
  const gateways = (['anthropic', 'openai'] as const).filter(
    (name) => !foreignAlias.test(id) && isReachable(name) && givenUrl(name, env),
  );
  const [first, second] = gateways;
  if (first && !second) return ok({ provider: first, id });
  if (first)
    return usage(`'${id}' could be a model of either endpoint.`, `Write anthropic/${id} or openai/${id}.`);
  return usage(
    `Unknown model '${id}'.`,
    `Use ${Object.keys(aliasModels).join(', ')}, an id such as ${aliasModels.sonnet}, or openai/<id> for another endpoint.\nRun cadre models to list the available models.`,
  );
}
