import { describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveOrSuggest } from '../../src/models/list-models.ts';
import { type ModelConfig, resolveModel } from '../../src/models/resolve.ts';
import type { Model } from '../../src/protocol/index.ts';
import { fakeProvider } from '../../src/testing/index.ts';

const withAnthropic = { ANTHROPIC_API_KEY: 'k' };
const withLocal = { OPENAI_BASE_URL: 'http://localhost:1/v1' };

describe('names', () => {
  const cases: [name: string | undefined, env: Record<string, string>, id: string][] = [
    ['anthropic/claude-opus-4-8', withAnthropic, 'anthropic/claude-opus-4-8'],
    ['claude-anything-9', withAnthropic, 'anthropic/claude-anything-9'],
    ['gpt-5.5', { OPENAI_API_KEY: 'k' }, 'openai/gpt-5.5'],
    ['o3-mini', { OPENAI_API_KEY: 'k' }, 'openai/o3-mini'],
    ['gemini-3-pro-preview', { GEMINI_API_KEY: 'k' }, 'google/gemini-3-pro-preview'],
    ['google/gemini-2.5-pro', { GOOGLE_GENERATIVE_AI_API_KEY: 'k' }, 'google/gemini-2.5-pro'],
    ['google/gemma-3', { GOOGLE_API_KEY: 'k' }, 'google/gemma-3'],
    ['ollama/qwen3:8b', {}, 'ollama/qwen3:8b'],
    ['lmstudio/org/model', withAnthropic, 'lmstudio/org/model'],
    ['openai/org/model:tag', withLocal, 'openai/org/model:tag'],
    ['llama3', withLocal, 'openai/llama3'],
    ['sonnet', withAnthropic, 'anthropic/claude-sonnet-5-5'],
    [
      'opus',
      { ...withAnthropic, ANTHROPIC_DEFAULT_OPUS_MODEL: 'claude-opus-4-1' },
      'anthropic/claude-opus-4-1',
    ],
    ['haiku', { ...withLocal, ANTHROPIC_DEFAULT_HAIKU_MODEL: 'openai/small' }, 'openai/small'],
    [undefined, withAnthropic, 'anthropic/claude-sonnet-5-5'],
    [undefined, { ...withAnthropic, ANTHROPIC_MODEL: 'opus' }, 'anthropic/claude-opus-5-5'],
    [undefined, { ...withAnthropic, ANTHROPIC_MODEL: 'gateway-model' }, 'anthropic/gateway-model'],
  ];
  for (const [name, env, id] of cases) {
    test(`${name ?? 'no name'} with ${Object.keys(env).join(' ')} is ${id}`, () => {
      expect(resolved(name, { env }).id).toBe(id);
    });
  }

  test("the settings' model counts when the environment names none", () => {
    expect(resolved(undefined, { env: withAnthropic, settingsModel: 'haiku' }).id).toBe(
      'anthropic/claude-haiku-5-5',
    );
  });

  test("the settings' aliases count", () => {
    const aliases = { fast: 'anthropic/claude-haiku-4-5' };
    expect(resolved('fast', { env: withAnthropic, aliases }).id).toBe('anthropic/claude-haiku-4-5');
  });

  type Refused = [name: string | undefined, env: Record<string, string>, message: RegExp, hint: RegExp];
  const refused: Refused[] = [
    [
      'mistral/x',
      withAnthropic,
      /unknown provider 'mistral'/,
      /Known providers: anthropic, openai, google, ollama.*openai\/mistral\/x.*cadre providers add/s,
    ],
    ['openai/', withLocal, /no id follows/, /openai\/<id>/],
    ["''", withLocal, /'' is not a valid model name/, /without quotes/],
    ["'opus'", withAnthropic, /'opus' is not a valid model name/, /without quotes/],
    ['openai/--', withLocal, /openai\/-- is not a valid model name/, /without quotes/],
    ['gpt-5\u001b[2J', withLocal, /is not a valid model name/, /without quotes/],
    ['sonet', withAnthropic, /Unknown model 'sonet'/, /opus, sonnet, haiku/],
    ...['fable', 'opusplan', 'sonnet[1m]', 'Claude Sonnet 4.5'].map(
      (name): Refused => [name, withLocal, /Unknown model '/, /opus, sonnet, haiku/],
    ),
    ['sonnet', withLocal, /alias 'sonnet' means an Anthropic model/, /ANTHROPIC_DEFAULT_SONNET_MODEL/],
    [undefined, withLocal, /No model is set/, /--model openai\/<id>/],
    [undefined, { GEMINI_API_KEY: 'k' }, /No model is set/, /--model google\/<id>/],
    ['opus', { GEMINI_API_KEY: 'k' }, /means an Anthropic model, but only Google/, /google\/<id>/],
    ['gemini-3-pro', withAnthropic, /No key for Google; only anthropic is configured/, /GEMINI_API_KEY/],
    [
      'x',
      { ...withLocal, ANTHROPIC_BASE_URL: 'http://localhost:2' },
      /either endpoint/,
      /anthropic\/x or openai\/x/,
    ],
    ['gpt-5', withAnthropic, /No key for OpenAI; only anthropic is configured/, /OPENAI_API_KEY/],
    ['sonnet', { ANTHROPIC_BASE_URL: 'nonsense' }, /ANTHROPIC_BASE_URL is not an http/, /Expected/],
  ];
  for (const [name, env, message, hint] of refused) {
    test(`${name ?? 'no name'} with ${Object.keys(env).join(' ')} is refused`, () => {
      const result = resolveModel(name, config({ env }));
      expect(result).toMatchObject({ ok: false, problem: { kind: 'usage' } });
      if (result.ok) return;
      expect(result.problem.message).toMatch(message);
      expect(result.problem.hint).toMatch(hint);
    });
  }

  test('no key and no server: says how to give one, and that the demo needs none', () => {
    const result = resolveModel(undefined, config({ env: {} }));
    if (result.ok) throw new Error('expected a problem');
    expect(`${result.problem.message} ${result.problem.hint}`).toMatch(
      /export ANTHROPIC_API_KEY=.*cadre key set anthropic.*OPENAI_BASE_URL.*cadre demo/s,
    );
  });
});

test('facts of known ids are known, of others a careful guess', () => {
  const known = resolved('claude-haiku-4-5-20251001', { env: withAnthropic }).facts;
  expect(known).toEqual({
    window: 200_000,
    maxOutput: 64_000,
    images: true,
    thinking: ['off', 'budget'],
    known: true,
  });
  const guessed = resolved('openai/tiny', { env: withLocal }).facts;
  expect(guessed).toMatchObject({ known: false, thinking: [], images: false, window: 32_768 });
});

test('an endpoint without a default lists its models when it answers', async () => {
  await using provider = await fakeProvider({ script: [], models: ['qwen', 'llama'] });
  const result = await resolveOrSuggest(undefined, config({ env: { OPENAI_BASE_URL: provider.url } }));
  expect(result).toMatchObject({
    ok: false,
    problem: { hint: expect.stringContaining('openai/qwen\nopenai/llama') },
  });
});

test('an endpoint that does not answer is not waited for', async () => {
  const result = await resolveOrSuggest(
    undefined,
    config({ env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } }),
  );
  expect(result).toMatchObject({ ok: false, problem: { hint: 'Name one with --model openai/<id>.' } });
});

describe('base URL', () => {
  for (const end of ['', '/', '/v1', '/v1/']) {
    test(`ANTHROPIC_BASE_URL may end with '${end}'`, async () => {
      await using provider = await fakeProvider({ script: ['ok'], apiKey: 'k' });
      const env = { ANTHROPIC_BASE_URL: provider.url + end, ANTHROPIC_API_KEY: 'k' };
      await ask(resolved('sonnet', { env }));
      expect(provider.requests[0]?.path).toBe('/v1/messages');
      provider.assertConsumed();
    });
  }

  test('OPENAI_BASE_URL without a path gets the usual one, and needs no key', async () => {
    await using provider = await fakeProvider({ script: ['ok'] });
    await ask(resolved('local', { env: { OPENAI_BASE_URL: `${provider.url}/` } }));
    expect(provider.requests[0]?.path).toBe('/v1/chat/completions');
    expect(provider.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('credentials', () => {
  test('ANTHROPIC_AUTH_TOKEN goes as a bearer token', async () => {
    await using provider = await fakeProvider({ script: ['ok'] });
    await ask(resolved('sonnet', { env: { ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_AUTH_TOKEN: 'tok' } }));
    expect(provider.requests[0]?.headers.authorization).toBe('Bearer tok');
    expect(provider.requests[0]?.headers['x-api-key']).toBeUndefined();
  });

  test('a stored key is used, and the environment goes before it', async () => {
    await using provider = await fakeProvider({ script: ['ok', 'ok'] });
    const keys = memoryKeyStore({ anthropic: 'stored' });
    const env = { ANTHROPIC_BASE_URL: provider.url };
    await ask(resolved('sonnet', { env, keys }));
    await ask(resolved('sonnet', { env: { ...env, ANTHROPIC_API_KEY: 'fresh' }, keys }));
    expect(provider.requests.map((request) => request.headers['x-api-key'])).toEqual(['stored', 'fresh']);
  });
});

function config(parts: Partial<ModelConfig>): ModelConfig {
  return { env: {}, keys: memoryKeyStore(), clock: systemClock, ...parts };
}

function resolved(name: string | undefined, parts: Partial<ModelConfig>): Model {
  const result = resolveModel(name, config(parts));
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

async function ask(model: Model): Promise<void> {
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }],
    maxOutputTokens: 100,
    thinking: { type: 'off' as const },
  };
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === 'response_failed') throw new Error(event.failure.message);
  }
}
