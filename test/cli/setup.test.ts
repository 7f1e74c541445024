import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { needs, openPane, type Pane } from '../support/index.ts';
import { cadre, environmentOf, newPlace, type Place, program } from './support.ts';

const tmuxTest = needs('tmux');
const goodKey = 'sk-good-0123456789';

/** Answers as the servers do: a list of models, for whoever has the key. */
async function serve(answers: Record<string, unknown>, key?: string) {
  const server = createServer((request, response) => {
    const answer = answers[`${request.method} ${request.url?.split('?')[0]}`];
    const given = request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', '');
    const status = key !== undefined && given !== key ? 401 : answer === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: async () => void server.close() };
}

function setUp(place: Place, env: Record<string, string>): Pane {
  return openPane({ command: [program, 'setup'], cwd: place.cwd, env: environmentOf({ place, env }) });
}

const settingsOf = (place: Place) => JSON.parse(readFileSync(join(place.home, 'settings.json'), 'utf8'));
const keysOf = (place: Place) => JSON.parse(readFileSync(join(place.home, 'keys.json'), 'utf8'));

tmuxTest(
  'a model of a server on this machine is offered first, and enter takes it for later runs',
  async () => {
    const place = newPlace();
    await using ollama = await serve({
      'GET /api/tags': { models: [{ name: 'qwen3:8b' }] },
      'POST /api/show': {
        capabilities: ['completion', 'tools'],
        model_info: { 'qwen3.context_length': 40960 },
      },
      'GET /api/ps': { models: [] },
    });
    const pane = setUp(place, { OLLAMA_HOST: ollama.url });
    await pane.shows('1  ollama/qwen3:8b (Ollama on this machine');
    await pane.shows('up and down move');
    pane.press('Enter');
    await pane.shows('Ready. Start with: cadre');
    await pane.shows('exit code 0');
    expect(settingsOf(place)).toEqual({ model: 'ollama/qwen3:8b' });
    expect(statSync(join(place.home, 'settings.json')).mode & 0o777).toBe(0o600);
  },
);

tmuxTest('a name that means no model is reported, not taken for a first start', async () => {
  const place = newPlace();
  const env = environmentOf({ place, env: { ANTHROPIC_API_KEY: goodKey } });
  const pane = openPane({ command: [program, '--model', 'nobody/knows-this'], cwd: place.cwd, env });
  await pane.shows("Unknown model 'nobody/knows-this'");
  await pane.shows('exit code 2');
  expect(pane.screen()).not.toContain('Welcome');
});

test('doctor says whether a local server has the model that a run would ask', async () => {
  const place = newPlace();
  const ollama = await serve({
    'POST /api/show': { capabilities: ['completion', 'tools'], model_info: {} },
    'GET /api/ps': { models: [] },
  });
  mkdirSync(place.home, { mode: 0o700 });
  writeFileSync(join(place.home, 'settings.json'), '{"model":"ollama/qwen2:7b"}', { mode: 0o600 });
  const env = { OLLAMA_HOST: ollama.url };
  const there = await cadre(['doctor'], { place, env });
  expect(there.out).toMatch(/^ +ok +model +ollama\/qwen2:7b$/m);
  await ollama[Symbol.asyncDispose]();
  const silent = await cadre(['doctor'], { place, env });
  expect(silent.out).toMatch(/^ +error +model +ollama\/qwen2:7b: Nothing answers at http:\S+, where Ollama/m);
  expect(silent.code).toBe(1);
});

tmuxTest(
  'a key is tried before it is stored: a refused one leaves nothing behind, and it is not shown',
  async () => {
    const place = newPlace();
    await using provider = await serve(
      { 'GET /v1/models': { data: [{ id: 'claude-sonnet-5-5' }] } },
      goodKey,
    );
    const pane = setUp(place, {
      ANTHROPIC_BASE_URL: `${provider.url}/v1`,
      OLLAMA_HOST: 'http://127.0.0.1:9',
    });
    // A loopback address counts as one that needs no key; the list still offers to give one.
    const list = await pane.shows(/(\d+) {2}Anthropic, with/);
    pane.type(/(\d+) {2}Anthropic/.exec(list)?.[1] ?? '');
    pane.press('Enter');
    await pane.shows('Anthropic rejected this key');
    await pane.shows('API key for Anthropic');
    pane.type('sk-wrong');
    pane.press('Enter');
    await pane.shows(/rejected this key[\s\S]*rejected this key/);
    pane.type(goodKey);
    pane.press('Enter');
    await pane.shows('Stored the key for anthropic');
    await pane.shows('exit code 0');
    expect(keysOf(place)).toEqual({ anthropic: goodKey });
    expect(pane.screen()).not.toContain('sk-');
  },
);

tmuxTest('a provider without a default is asked which of its models', async () => {
  const place = newPlace();
  await using provider = await serve(
    { 'GET /v1/models': { data: [{ id: 'strange-1' }, { id: 'gpt-5.5' }] } },
    goodKey,
  );
  const pane = setUp(place, { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: goodKey });
  const list = await pane.shows(/(\d+) {2}OpenAI, with the key found here/);
  pane.type(/(\d+) {2}OpenAI/.exec(list)?.[1] ?? '');
  pane.press('Enter');
  await pane.shows('Which model?');
  pane.type('strange-1');
  pane.press('Enter');
  await pane.shows('The model is openai/strange-1');
  expect(settingsOf(place)).toEqual({ model: 'openai/strange-1' });
});

tmuxTest('whoever leaves changes nothing', async () => {
  const place = newPlace();
  const pane = setUp(place, { OLLAMA_HOST: 'http://127.0.0.1:9' });
  await pane.shows('up and down move');
  pane.press('C-c');
  await pane.shows('exit code 130');
  expect(() => settingsOf(place)).toThrow();
});

tmuxTest('whoever starts Cadre without a model is led to one, and is then at the prompt', async () => {
  const place = newPlace();
  await using provider = await serve({ 'GET /v1/models': { data: [{ id: 'strange-1' }] } }, goodKey);
  const pane = openPane({
    command: [program],
    cwd: place.cwd,
    env: environmentOf({ place, env: { OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: goodKey } }),
  });
  const list = await pane.shows(/(\d+) {2}OpenAI, with the key found here/);
  expect(list).toContain('Welcome. Cadre needs a model');
  pane.type(/(\d+) {2}OpenAI/.exec(list)?.[1] ?? '');
  pane.press('Enter');
  await pane.shows('Which model?');
  pane.press('Enter');
  await pane.shows('openai/strange-1 (');
  await pane.shows('Ask for something');
  await pane.shows(/· openai\/strange-1/);
  pane.press('C-c');
  pane.press('C-c');
  await pane.shows('exit code 0');
});

tmuxTest('without a terminal it says how to give a key, and exits with 2', async () => {
  const ended = await cadre(['setup'], { place: newPlace() });
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toContain('cadre key set anthropic');
});

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  tmuxTest(`${signal} at the first questions gives the terminal back as it was`, async () => {
    const place = newPlace();
    const env = environmentOf({ place, env: { OLLAMA_HOST: 'http://127.0.0.1:9' } });
    const pane = openPane({ command: [program], cwd: place.cwd, env });
    const list = await pane.shows(/(\d+) {2}Anthropic, with/);
    await pane.shows('up and down move');
    if (signal === 'SIGHUP') {
      pane.type(/(\d+) {2}Anthropic/.exec(list)?.[1] ?? '');
      pane.press('Enter');
      await pane.shows('API key for Anthropic');
    }
    process.kill(pane.children()[0] ?? 0, signal);
    await pane.shows(`exit code ${code}`);
    pane.type('echoed again');
    await pane.shows('echoed again');
  });
