import { fail, ok, type Result } from '../lib/result.ts';
import type { Model } from '../protocol/index.ts';
import { askJson, type ProviderQuestion, readFields, readList, readModelId } from './ask-json.ts';
import { type Endpoint, isLoopback } from './endpoints.ts';
import { findFacts, type KnownModel } from './facts.ts';
import { builtInProviders, isLocalName, type LocalName, localNames } from './providers/providers.ts';
import {
  askedKey,
  createModel,
  findEndpoints,
  loadPackage,
  type ModelConfig,
  needsModelName,
  type SettledModel,
  settleModel,
} from './resolve.ts';
import { openTransport } from './transport.ts';

/**
 * Like `resolveModel`, but makes requests where that helps: for the list of models if a name is missing, for what a
 * local model supports, for an added package. What cannot work is found here, before the first request.
 */
export async function resolveOrSuggest(
  name: string | undefined,
  config: ModelConfig,
): Promise<Result<Model>> {
  const settled = settleModel(name, config);
  if (!settled.ok) return suggest(name, config, settled);
  const facts = await knowFacts(settled.value, config);
  if (!facts.ok) return facts;
  const model = createModel(settled.value, config, facts.value);
  if (!model.ok || !settled.value.added) return model;
  const { added, endpoint, id } = settled.value;
  const parts = { endpoint, id, facts: facts.value, fetch: config.fetch ?? fetch, clock: config.clock };
  const loaded = await loadPackage(added, parts, config);
  return loaded.ok ? model : loaded;
}

const patienceMs = 1_000;
const shownIds = 20;

async function suggest(
  name: string | undefined,
  config: ModelConfig,
  refused: Result<never>,
): Promise<Result<never>> {
  const endpoints = findEndpoints(config);
  const open = endpoints.ok ? needsModelName(name, config, endpoints.value) : undefined;
  if (!open || refused.ok) return refused;
  const ids = (await listModels(open, prepareQuestion(config, patienceMs))) ?? [];
  if (ids.length === 0) return refused;
  const shown = ids.slice(0, shownIds).map((id) => `${open.provider}/${id}`);
  const more = ids.length > shownIds ? `\n… and ${ids.length - shownIds} more` : '';
  return fail({ ...refused.problem, hint: `Name one with --model; it has:\n${shown.join('\n')}${more}` });
}

/** From the table, from an earlier answer, or from the server itself, if it can be asked. */
async function knowFacts(
  { provider, id, endpoint }: SettledModel,
  config: ModelConfig,
): Promise<Result<KnownModel>> {
  const guessed = findFacts(provider, id);
  const known = guessed.known ? guessed : config.asked?.get(askedKey(endpoint, id));
  const kind = known ? undefined : findLocalKind(endpoint);
  if (known || !kind) return ok(known ?? guessed);
  const { askLocalFacts } = await import('./local-servers.ts');
  const asked = await askLocalFacts(kind, endpoint, id, prepareQuestion(config, patienceMs));
  if (!asked.ok) return asked;
  if (asked.value) config.asked?.set(askedKey(endpoint, id), asked.value);
  return ok(asked.value ?? guessed);
}

/** Which kind of local server an endpoint is, by its name or by its usual port on this machine. */
export function findLocalKind(endpoint: Pick<Endpoint, 'provider' | 'baseUrl'>): LocalName | undefined {
  if (isLocalName(endpoint.provider)) return endpoint.provider;
  if (endpoint.provider !== 'openai' || !isLoopback(endpoint.baseUrl)) return undefined;
  const { port } = new URL(endpoint.baseUrl);
  return localNames.find((name) => new URL(builtInProviders[name].url).port === port);
}

export function prepareQuestion(config: ModelConfig, patienceMs: number): ProviderQuestion {
  const transport = config.fetch ? ok(config.fetch) : openTransport(config.env);
  return { fetch: transport.ok ? transport.value : fetch, clock: config.clock, patienceMs };
}

/** The ids that a provider lists; undefined when there is no good answer in time. */
export async function listModels(
  endpoint: Endpoint,
  question: ProviderQuestion,
): Promise<string[] | undefined> {
  return (await askModels(endpoint, question)).ids;
}

/** The list, and the status of the answer: 401 and 403 mean a refused key, 0 is silence. */
export async function askModels(
  endpoint: Endpoint,
  question: ProviderQuestion,
): Promise<{ status: number; ids?: string[] }> {
  const { provider, baseUrl, key = '', token } = endpoint;
  if (provider === 'google') {
    const { status, body } = await askJson(question, `${baseUrl}/models?pageSize=1000`, {
      headers: { 'x-goog-api-key': key },
    });
    const { models } = readFields(body);
    return { status, ids: Array.isArray(models) ? models.flatMap(googleId) : undefined };
  }
  const path = provider === 'anthropic' ? '/models?limit=1000' : '/models';
  const headers: Record<string, string> =
    provider === 'anthropic' && !token
      ? { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
      : { ...bearer(token ?? key), ...(token ? { 'anthropic-version': '2023-06-01' } : {}) };
  const { status, body } = await askJson(question, `${baseUrl}${path}`, { headers });
  const { data } = readFields(body);
  return {
    status,
    ids: Array.isArray(data) ? data.flatMap((model) => readModelId(readFields(model).id)) : undefined,
  };
}

function bearer(secret: string): Record<string, string> {
  return secret ? { authorization: `Bearer ${secret}` } : {};
}

/** `models/gemini-…`, only those that generate content. */
function googleId(model: unknown): string[] {
  const { name, supportedGenerationMethods } = readFields(model);
  if (!readList(supportedGenerationMethods).includes('generateContent')) return [];
  return readModelId(name).map((id) => id.replace(/^models\//, ''));
}
