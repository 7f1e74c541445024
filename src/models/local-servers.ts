import { renderValue } from '../lib/fields/describe-value.ts';
import { ok, type Result, usage } from '../lib/result.ts';
import { askJson, type ProviderQuestion, readCount, readFields, readList, readModelId } from './ask-json.ts';
import type { Endpoint } from './endpoints.ts';
import type { KnownModel } from './facts.ts';
import { builtInProviders, isLocalName, type LocalName, urlVariable } from './providers/providers.ts';

/** The ids that a server has; undefined if it does not answer, or not like such a server. */
export async function listLocalModels(
  kind: LocalName,
  endpoint: Endpoint,
  question: ProviderQuestion,
): Promise<string[] | undefined> {
  const ask = asker(endpoint, question);
  const { body } = await ask(kind === 'ollama' ? '/api/tags' : '/v1/models');
  const { models, data } = readFields(body);
  if (kind === 'ollama')
    return Array.isArray(models) ? models.flatMap((model) => readModelId(readFields(model).name)) : undefined;
  return Array.isArray(data) ? data.flatMap((model) => readModelId(readFields(model).id)) : undefined;
}

/**
 * What a server says about a model's abilities. Undefined if it does not say; a problem if the model cannot be used.
 */
export async function askLocalFacts(
  kind: LocalName,
  endpoint: Endpoint,
  id: string,
  question: ProviderQuestion,
): Promise<Result<KnownModel | undefined>> {
  const said = await questions[kind](asker(endpoint, question), id);
  const { title } = builtInProviders[kind];
  // Recognised only by its port, it may be another program that need not list what it serves.
  if (!isLocalName(endpoint.provider) && (said === 'silent' || said === 'absent')) return ok(undefined);
  if (said === 'silent')
    return usage(
      `Nothing answers at ${endpoint.baseUrl}, where ${title} was expected.`,
      `Start it, or set its address: export ${urlVariable(endpoint.provider)}=…\nRun cadre models to list the servers running on this machine.`,
    );
  if (said === 'unknown') return ok(undefined);
  if (said === 'absent')
    return usage(
      `${title} at ${endpoint.baseUrl} does not have the model '${id}'.`,
      `${kind === 'ollama' ? `Get it with: ollama pull ${id}\n` : ''}Run cadre models to list what it has.`,
    );
  if (said.tools === false)
    return usage(
      `The model '${id}' of ${title} cannot call tools, which Cadre needs.`,
      'Choose another. Run cadre models to see which can.',
    );
  return ok(buildFacts(said));
}

interface Said {
  window?: number | undefined;
  images?: boolean;
  thinks?: boolean;
  /** Undefined if the server does not say. */
  tools?: boolean | undefined;
}

type Ask = (path: string, body?: object) => ReturnType<typeof askJson>;
type Answer = Said | 'silent' | 'absent' | 'unknown';

const questions: Record<LocalName, (ask: Ask, id: string) => Promise<Answer>> = {
  async ollama(ask, id) {
    const [shown, running] = await Promise.all([ask('/api/show', { model: id }), ask('/api/ps')]);
    if (shown.status === 0) return 'silent';
    if (shown.status === 404) return 'absent';
    const { model_info, capabilities, parameters } = readFields(shown.body);
    if (!Array.isArray(capabilities)) return 'unknown';
    const trained = Object.entries(readFields(model_info)).find(([name]) =>
      name.endsWith('.context_length'),
    )?.[1];
    return {
      window: ollamaWindow(
        readCount(trained),
        runningWindow(running.body, id),
        renderValue(parameters ?? ''),
      ),
      images: capabilities.includes('vision'),
      thinks: capabilities.includes('thinking'),
      tools: capabilities.includes('tools'),
    };
  },

  async lmstudio(ask, id) {
    const { status, body } = await ask('/api/v0/models');
    if (status === 0) return 'silent';
    const models = readList(readFields(body).data).map(readFields);
    if (models.length === 0) return 'unknown';
    const model = models.find((candidate) => candidate.id === id);
    if (!model) return 'absent';
    const can = readList(model.capabilities);
    return {
      window: readCount(model.loaded_context_length) ?? readCount(model.max_context_length),
      images: model.type === 'vlm',
      // Older versions say nothing of tools; an embedding model certainly has none.
      tools:
        model.type === 'embeddings'
          ? false
          : Array.isArray(model.capabilities)
            ? can.includes('tool_use')
            : undefined,
    };
  },

  async llamacpp(ask) {
    const { status, body } = await ask('/props');
    if (status === 0) return 'silent';
    const said = readFields(body);
    const window = readCount(readFields(said.default_generation_settings).n_ctx) ?? readCount(said.n_ctx);
    if (window === undefined) return 'unknown';
    const { supports_tools } = readFields(said.chat_template_caps);
    return {
      window,
      images: readFields(said.modalities).vision === true,
      tools: supports_tools === false ? false : undefined,
    };
  },

  async vllm(ask, id) {
    const { status, body } = await ask('/v1/models');
    if (status === 0) return 'silent';
    const models = readList(readFields(body).data).map(readFields);
    if (models.length === 0) return 'unknown';
    const model = models.find((candidate) => candidate.id === id);
    return model ? { window: readCount(model.max_model_len) } : 'absent';
  },
};

/**
 * Without a configured size Ollama silently cuts what is too long, so the model's own window is not trusted beyond
 * this.
 */
const believedWindow = 32_768;

function ollamaWindow(trained: number | undefined, running: number | undefined, parameters: string) {
  const chosen = readCount(Number(/^\s*num_ctx\s+(\d+)/m.exec(parameters)?.[1]));
  return running ?? chosen ?? (trained === undefined ? undefined : Math.min(trained, believedWindow));
}

function runningWindow(body: unknown, id: string): number | undefined {
  const models = readList(readFields(body).models).map(readFields);
  const full = id.includes(':') ? id : `${id}:latest`;
  return readCount(models.find((model) => model.name === full || model.model === full)?.context_length);
}

function buildFacts({ window = believedWindow, images = false, thinks = false }: Said): KnownModel {
  // A quarter for the answer, as in the guess for unknown models.
  const maxOutput = Math.max(1_024, Math.floor(window / 4));
  return { window, maxOutput, images, thinking: thinks ? ['adaptive'] : [], known: true };
}

/** The servers' own APIs are beside `/v1`, not below it. */
function asker(endpoint: Endpoint, question: ProviderQuestion): Ask {
  const root = endpoint.baseUrl.replace(/\/v1$/, '');
  const headers: Record<string, string> = {
    ...(endpoint.key ? { authorization: `Bearer ${endpoint.key}` } : {}),
    'content-type': 'application/json',
  };
  return (path, body) =>
    askJson(question, `${root}${path}`, {
      headers,
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
}
