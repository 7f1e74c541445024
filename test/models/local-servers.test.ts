import { describe, expect, test } from 'bun:test';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import type { KnownModel } from '../../src/models/facts.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveOrSuggest } from '../../src/models/list-models.ts';
import type { ModelConfig } from '../../src/models/resolve.ts';
import { surveyModels } from '../../src/models/survey.ts';
import { fakeProvider } from '../../src/testing/index.ts';
import { collect, request } from './conversation.ts';

type Answers = Record<string, unknown>;

const ollama: Answers = {
  'GET /api/tags': { models: [{ name: 'qwen3:8b' }, { name: 'gemma:2b' }] },
  'GET /api/ps': { models: [] },
  'POST /api/show qwen3:8b': {
    capabilities: ['completion', 'tools', 'thinking'],
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40_960 },
  },
  'POST /api/show gemma:2b': {
    capabilities: ['completion'],
    model_info: { 'gemma.context_length': 8_192 },
  },
};

describe('what a model can do is asked for', () => {
  test('of Ollama: abilities, and a window that is not believed beyond what is safe', async () => {
    await using server = serve(ollama);
    const facts = await factsOf('ollama/qwen3:8b', { OLLAMA_HOST: server.host });
    expect(facts).toEqual({
      window: 32_768,
      maxOutput: 8_192,
      images: false,
      thinking: ['adaptive'],
      known: true,
    });
  });

  test('of Ollama: a window that is in force counts', async () => {
    const running = { 'GET /api/ps': { models: [{ name: 'qwen3:8b', context_length: 16_384 }] } };
    await using server = serve({ ...ollama, ...running });
    expect(await factsOf('ollama/qwen3:8b', { OLLAMA_HOST: server.host })).toMatchObject({ window: 16_384 });
  });

  test('of LM Studio: the loaded window, pictures', async () => {
    const model = {
      id: 'qwen/qwen3-vl',
      type: 'vlm',
      max_context_length: 262_144,
      loaded_context_length: 65_536,
    };
    await using server = serve({ 'GET /api/v0/models': { data: [model] } });
    const facts = await factsOf('lmstudio/qwen/qwen3-vl', { LMSTUDIO_BASE_URL: server.url });
    expect(facts).toMatchObject({ window: 65_536, maxOutput: 16_384, images: true, known: true });
  });

  test('of llama.cpp: the window of a slot', async () => {
    const props = { default_generation_settings: { n_ctx: 12_288 }, modalities: { vision: true } };
    await using server = serve({ 'GET /props': props });
    const facts = await factsOf('llamacpp/any', { LLAMACPP_BASE_URL: server.url });
    expect(facts).toMatchObject({ window: 12_288, maxOutput: 3_072, images: true });
  });

  test('of vLLM: the longest sequence', async () => {
    await using server = serve({ 'GET /v1/models': { data: [{ id: 'org/m', max_model_len: 131_072 }] } });
    expect(await factsOf('vllm/org/m', { VLLM_BASE_URL: server.url })).toMatchObject({ window: 131_072 });
  });

  test('once: the second time it is known', async () => {
    await using server = serve(ollama);
    const asked = new Map<string, KnownModel>();
    const config = configOf({ OLLAMA_HOST: server.host }, { asked });
    await resolveOrSuggest('ollama/qwen3:8b', config);
    const before = server.asked.length;
    expect(before).toBeGreaterThan(0);
    const again = await resolveOrSuggest('ollama/qwen3:8b', config);
    expect(again).toMatchObject({ ok: true, value: { facts: { known: true } } });
    expect(server.asked.length).toBe(before);
  });

  test('a server that does not say gets a careful guess', async () => {
    await using server = serve({});
    expect(await factsOf('llamacpp/any', { LLAMACPP_BASE_URL: server.url })).toMatchObject({
      window: 32_768,
      known: false,
    });
  });

  test('and not of a server of another kind', async () => {
    await using provider = await fakeProvider({ script: [] });
    const found = await resolveOrSuggest('openai/x', configOf({ OPENAI_BASE_URL: provider.url }));
    expect(found).toMatchObject({ ok: true, value: { facts: { known: false } } });
    expect(provider.requests).toEqual([]);
  });
});

describe('a clear problem', () => {
  test('for a model that cannot call tools', async () => {
    await using server = serve(ollama);
    const found = await resolveOrSuggest('ollama/gemma:2b', configOf({ OLLAMA_HOST: server.host }));
    expect(found).toMatchObject({
      ok: false,
      problem: { kind: 'usage', message: expect.stringMatching(/gemma:2b.*cannot call tools/) },
    });
  });

  test('for a model that is not there', async () => {
    await using server = serve(ollama);
    const found = await resolveOrSuggest('ollama/llama9', configOf({ OLLAMA_HOST: server.host }));
    expect(problemOf(found)).toMatch(/does not have the model 'llama9'.*ollama pull llama9/s);
  });

  test('for a server that is not there', async () => {
    const found = await resolveOrSuggest('vllm/x', configOf({ VLLM_BASE_URL: 'http://127.0.0.1:9/v1' }));
    expect(problemOf(found)).toMatch(/Nothing answers at http:\/\/127\.0\.0\.1:9\/v1.*vLLM.*VLLM_BASE_URL/s);
  });

  test('for an answer that never ends: it is not waited for', async () => {
    const clock = manualClock();
    await using server = serve({ 'GET /props': () => clock.advance(1_000) });
    const found = await resolveOrSuggest(
      'llamacpp/x',
      configOf({ LLAMACPP_BASE_URL: server.url }, { clock }),
    );
    expect(problemOf(found)).toMatch(/Nothing answers/);
  });
});

test('a local model is spoken to over Chat Completions, without a key', async () => {
  await using provider = await fakeProvider({ script: ['hello'], models: ['m'] });
  const found = await resolveOrSuggest('vllm/m', configOf({ VLLM_BASE_URL: provider.url }));
  if (!found.ok) throw new Error(found.problem.message);
  expect(found.value.id).toBe('vllm/m');
  await collect(found.value, request());
  expect(provider.requests[0]).toMatchObject({ path: '/v1/chat/completions' });
  expect(provider.requests[0]?.headers.authorization).toBeUndefined();
});

describe('OLLAMA_HOST', () => {
  const cases: [given: string, address: string][] = [
    ['127.0.0.1:7', 'http://127.0.0.1:7/v1'],
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    [':7', 'http://127.0.0.1:7/v1'],
    ['http://127.0.0.1:7/', 'http://127.0.0.1:7/v1'],
  ];
  for (const [given, address] of cases) {
    test(given, async () => {
      const asked: string[] = [];
      const fetch = async (url: string | URL | Request) => {
        asked.push(String(url));
        return Response.json({});
      };
      await resolveOrSuggest('ollama/x', configOf({ OLLAMA_HOST: given }, { fetch }));
      expect(asked[0]).toBe(address.replace('/v1', '/api/show'));
    });
  }
});

describe('the survey', () => {
  test('lists providers, local servers, abilities, aliases and the default', async () => {
    await using server = serve(ollama);
    await using provider = await fakeProvider({ script: [], models: ['claude-opus-4-8'], apiKey: 'k' });
    const env = {
      OLLAMA_HOST: server.host,
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: 'k',
      ...nobody,
    };
    const survey = await surveyModels(configOf(env, { aliases: { fast: 'ollama/qwen3:8b' } }));
    if (!survey.ok) throw new Error(survey.problem.message);
    const { providers, aliases } = survey.value;
    expect(survey.value.default).toEqual({ model: 'anthropic/claude-sonnet-5-5' });
    expect(providers.find(({ name }) => name === 'anthropic')).toMatchObject({
      isReady: true,
      key: 'environment',
      models: [{ name: 'anthropic/claude-opus-4-8', window: 1_000_000, images: true, thinks: true }],
    });
    expect(providers.find(({ name }) => name === 'google')).toMatchObject({
      isReady: false,
      note: expect.stringContaining('GEMINI_API_KEY'),
    });
    expect(providers.find(({ name }) => name === 'ollama')).toMatchObject({
      isReady: true,
      models: [
        { name: 'ollama/qwen3:8b', window: 32_768, thinks: true },
        { name: 'ollama/gemma:2b', problem: expect.stringContaining('cannot call tools') },
      ],
    });
    expect(providers.find(({ name }) => name === 'vllm')).toMatchObject({
      isReady: false,
      note: 'not running',
    });
    expect(aliases).toContainEqual({ alias: 'fast', model: 'ollama/qwen3:8b' });
    expect(aliases).toContainEqual({ alias: 'opus', model: 'anthropic/claude-opus-5-5' });
  });

  test("Google's list has those that can talk", async () => {
    const models = [
      { name: 'models/gemini-3-pro-preview', supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embedding-1', supportedGenerationMethods: ['embedContent'] },
    ];
    await using server = serve({ 'GET /v1beta/models': { models } });
    const env = { GOOGLE_BASE_URL: server.url.replace('/v1', ''), GEMINI_API_KEY: 'k', ...nobody };
    const survey = await surveyModels(configOf(env));
    const google = survey.ok ? survey.value.providers.find(({ name }) => name === 'google') : undefined;
    expect(google?.models.map(({ name }) => name)).toEqual(['google/gemini-3-pro-preview']);
  });

  test('without anything configured nobody but this machine is asked', async () => {
    const asked: string[] = [];
    const fetch = async (url: string | URL | Request) => {
      asked.push(String(url));
      throw new Error('refused');
    };
    await surveyModels(configOf({}, { fetch }));
    expect(asked.sort()).toEqual([
      'http://127.0.0.1:11434/api/tags',
      'http://127.0.0.1:1234/v1/models',
      'http://127.0.0.1:8000/v1/models',
      'http://127.0.0.1:8080/v1/models',
    ]);
  });
});

/** Whatever really runs on this machine stays out of the tests. */
const nobody = {
  LMSTUDIO_BASE_URL: 'http://127.0.0.1:9/v1',
  LLAMACPP_BASE_URL: 'http://127.0.0.1:9/v1',
  VLLM_BASE_URL: 'http://127.0.0.1:9/v1',
};

function configOf(env: Record<string, string>, parts: Partial<ModelConfig> = {}): ModelConfig {
  return { env, keys: memoryKeyStore(), clock: systemClock, ...parts };
}

async function factsOf(name: string, env: Record<string, string>) {
  const found = await resolveOrSuggest(name, configOf(env));
  if (!found.ok) throw new Error(found.problem.message);
  return found.value.facts;
}

function problemOf(result: Awaited<ReturnType<typeof resolveOrSuggest>>): string {
  return result.ok ? 'no problem' : `${result.problem.message}\n${result.problem.hint}`;
}

/** A server that knows these answers and nothing else; after a function it stays silent. A POST is told apart by the model that it asks for. */
function serve(answers: Answers) {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = request.method === 'POST' ? ((await request.json()) as { model: string }) : undefined;
      const question = `${request.method} ${new URL(request.url).pathname}${body ? ` ${body.model}` : ''}`;
      asked.push(question);
      const answer = answers[question];
      if (typeof answer === 'function') {
        answer();
        return new Promise<Response>(() => {});
      }
      return answer === undefined ? new Response('{}', { status: 404 }) : Response.json(answer);
    },
  });
  return {
    asked,
    host: `127.0.0.1:${server.port}`,
    url: `http://127.0.0.1:${server.port}/v1`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
