import { ok, type Result } from '../lib/result.ts';
import type { ProviderQuestion } from './ask-json.ts';
import { type Endpoint, findEndpoint, givenUrl } from './endpoints.ts';
import { aliasModels, findFacts, type KnownModel } from './facts.ts';
import { listModels, prepareQuestion } from './list-models.ts';
import { askLocalFacts, listLocalModels } from './local-servers.ts';
import {
  type BuiltInName,
  builtInProviders,
  keyVariable,
  type LocalName,
  localNames,
} from './providers/providers.ts';
import { type ModelConfig, readModelName, settleModel } from './resolve.ts';

/** The available models. `version` counts incompatible changes of this shape. */
export interface ModelSurvey {
  version: 1;
  /** The model of a run without `--model`, or why there is none. */
  default: { model: string } | { problem: string };
  providers: ProviderReport[];
  aliases: { alias: string; model?: string; problem?: string }[];
}

export interface ProviderReport {
  name: string;
  kind: 'hosted' | 'local' | 'added';
  /** Whether a request could be made: there is a key or an address, or the server runs. */
  isReady: boolean;
  address?: string;
  key?: 'environment' | 'stored' | 'none';
  models: ModelReport[];
  /** Why there is no list, or what to do. */
  note?: string;
}

export interface ModelReport {
  /** As it is given to `--model`. */
  name: string;
  /** Absent if unknown. */
  window?: number;
  images?: boolean;
  thinks?: boolean;
  /** Why it cannot be used. */
  problem?: string;
}

/** How long each server may take. One on this machine answers at once if it runs. */
const probeMs = 300;
const listMs = 3_000;
const askMs = 1_000;
/** Local models are asked one by one what they support; no more of them than this. */
const maxAsked = 50;

/** Asks all providers at once; none is waited for longer than its time. */
export async function surveyModels(config: ModelConfig): Promise<Result<ModelSurvey>> {
  const added = config.added?.list() ?? ok([]);
  if (!added.ok) return added;
  const hosted = (['anthropic', 'openai', 'google'] as const).map((name) => reportHosted(name, config));
  const local = localNames.map((name) => reportLocal(name, config));
  const providers = await Promise.all([...hosted, ...local]);
  const others = added.value.map(({ name, package: from, version }): ProviderReport => {
    const settled = settleModel(`${name}/any`, config);
    const note = `${from} ${version} does not list its models: name one as ${name}/<id>`;
    return {
      name,
      kind: 'added',
      isReady: settled.ok,
      models: [],
      note: settled.ok ? note : settled.problem.message,
    };
  });
  const chosen = settleModel(undefined, config);
  return ok({
    version: 1,
    default: chosen.ok ? { model: formatName(chosen.value) } : { problem: chosen.problem.message },
    providers: [...providers, ...others],
    aliases: [...Object.keys(aliasModels), ...Object.keys(config.aliases ?? {})].map((alias) => {
      const read = readModelName(alias, config);
      return read.ok ? { alias, model: formatName(read.value) } : { alias, problem: read.problem.message };
    }),
  });
}

function formatName({ provider, id }: { provider: string; id: string }): string {
  return `${provider}/${id}`;
}

async function reportHosted(name: BuiltInName, config: ModelConfig): Promise<ProviderReport> {
  const found = findEndpoint(name, config.env, config.keys);
  const report = { name, kind: 'hosted' as const, models: [] };
  if (!found.ok) return { ...report, isReady: false, note: found.problem.message };
  const endpoint = found.value;
  if (!endpoint) {
    const note = `no key: export ${keyVariable(name)}=…  or: cadre key set ${name}`;
    return { ...report, isReady: false, note };
  }
  const ids = await listModels(endpoint, prepareQuestion(config, listMs));
  const known = {
    ...report,
    isReady: true,
    address: endpoint.baseUrl,
    key: keySource(name, endpoint, config),
  };
  if (!ids) return { ...known, note: 'did not list its models' };
  const talking = talkingModels(endpoint, ids);
  return {
    ...known,
    models: talking.map((id) => describe(formatName({ provider: name, id }), findFacts(name, id))),
  };
}

/** OpenAI lists all its models, and most of them make pictures, sounds or numbers. */
export function talkingModels({ baseUrl }: Endpoint, ids: string[]): string[] {
  return new URL(baseUrl).hostname === 'api.openai.com' ? ids.filter(canTalk) : ids;
}

function canTalk(id: string): boolean {
  return !/embedding|whisper|tts|dall-e|moderation|image|realtime|audio|transcribe|babbage|davinci|sora/.test(
    id,
  );
}

function keySource(
  name: BuiltInName,
  { key, token }: Endpoint,
  { env }: ModelConfig,
): 'environment' | 'stored' | 'none' {
  if (!key && !token) return 'none';
  const isGiven =
    token || builtInProviders[name].keyVariables.some((variable) => env[variable]?.trim() === key);
  return isGiven ? 'environment' : 'stored';
}

/** Only this machine is asked, unless the user has configured another address. */
async function reportLocal(name: LocalName, config: ModelConfig): Promise<ProviderReport> {
  const found = findEndpoint(name, config.env, config.keys);
  const report = { name, kind: 'local' as const, models: [] };
  if (!found.ok) return { ...report, isReady: false, note: found.problem.message };
  if (!found.value) return { ...report, isReady: false };
  const endpoint = found.value;
  const isGiven = givenUrl(name, config.env) !== undefined;
  // Directly: a proxy must not be used for this machine.
  const question = (patienceMs: number): ProviderQuestion =>
    isGiven
      ? prepareQuestion(config, patienceMs)
      : { fetch: config.fetch ?? fetch, clock: config.clock, patienceMs };
  const ids = await listLocalModels(name, endpoint, question(isGiven ? askMs : probeMs));
  if (!ids) return { ...report, isReady: false, address: endpoint.baseUrl, note: 'not running' };
  const models = ids.map(async (id, index) => {
    if (index >= maxAsked) return { name: formatName({ provider: name, id }) };
    const facts = await askLocalFacts(name, endpoint, id, question(askMs));
    if (!facts.ok) return { name: formatName({ provider: name, id }), problem: facts.problem.message };
    return describe(formatName({ provider: name, id }), facts.value);
  });
  return {
    ...report,
    isReady: true,
    address: endpoint.baseUrl,
    key: keySource(name, endpoint, config),
    models: await Promise.all(models),
  };
}

function describe(name: string, facts: KnownModel | undefined): ModelReport {
  if (!facts?.known) return { name };
  return { name, window: facts.window, images: facts.images, thinks: facts.thinking.length > 0 };
}
