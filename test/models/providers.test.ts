import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { bundleModule } from '../../src/lib/bundle.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { findPackageFile } from '../../src/lib/package-entry.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveOrSuggest } from '../../src/models/list-models.ts';
import { openProviderDirectory } from '../../src/models/providers/directory.ts';
import { addProvider, removeProvider } from '../../src/models/providers/install.ts';
import { deriveProviderName, parsePackageSpec } from '../../src/models/providers/package.ts';
import { type ModelConfig, resolveModel } from '../../src/models/resolve.ts';
import type { Model } from '../../src/protocol/index.ts';
import { type FakeProvider, fakeProvider, modelConformance } from '../../src/testing/index.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { collect, failureOf, messageOf, request } from './conversation.ts';

const repository = join(import.meta.dirname, '../..');
const testWithNpm = needs('npm');

describe('an added package', () => {
  testWithNpm('is installed without its scripts, by absolute path, and answers', async () => {
    const place = newPlace();
    const added = await place.add(writePackage(place.path, 'plain-provider', plainProvider('v4')));
    expect(added).toMatchObject({
      ok: true,
      value: {
        name: 'plain',
        package: 'plain-provider',
        factory: 'createPlain',
        keyVariable: 'PLAIN_API_KEY',
      },
    });
    expect(existsSync(join(place.path, 'script-ran'))).toBe(false);
    const file = join(place.home, 'providers', 'providers.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: 1, providers: { plain: {} } });
    const model = await place.model('plain/some-model', { PLAIN_API_KEY: 'k' });
    const message = messageOf(await collect(model, request()));
    expect(message.content).toEqual([{ type: 'text', text: 'some-model with k: dependency works' }]);
    expect(message.usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 });
    expect(model.id).toBe('plain/some-model');
  });

  for (const version of ['v2', 'v3']) {
    testWithNpm(`of interface ${version} is spoken to in its own words`, async () => {
      const place = newPlace();
      await place.add(writePackage(place.path, 'plain-provider', plainProvider(version)));
      const model = await place.model('plain/m', { PLAIN_API_KEY: 'k' });
      const message = messageOf(await collect(model, request()));
      expect(message).toMatchObject({
        stop_reason: 'end_turn',
        content: [{ text: 'm with k: dependency works' }],
      });
      expect(message.usage).toMatchObject({ input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 });
    });
  }

  const bad: [name: string, source: string, message: RegExp][] = [
    ['without a factory', 'export const provider = {};', /has no create… function/],
    [
      'of an unknown interface',
      'export const createPlain = () => ({ languageModel: () => ({ specificationVersion: "v1", doStream() {} }) });',
      /expected interface v2, v3 or v4, got v1/,
    ],
    ['that fails', 'export const createPlain = () => { throw new Error("no such luck"); };', /no such luck/],
    ['that cannot be loaded', 'throw new Error("broken to the core");', /broken to the core/],
  ];
  for (const [name, source, message] of bad) {
    testWithNpm(`${name} is refused and not kept`, async () => {
      const place = newPlace();
      const added = await place.add(writePackage(place.path, 'plain-provider', source));
      expect(added).toMatchObject({ ok: false, problem: { message: expect.stringMatching(message) } });
      expect(place.directory.list()).toEqual({ ok: true, value: [] });
      expect(existsSync(join(place.home, 'providers/node_modules/plain-provider'))).toBe(false);
      const left = join(place.home, 'providers/bundles');
      expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
    });
  }

  testWithNpm('can be removed, with its files', async () => {
    const place = newPlace();
    await place.add(writePackage(place.path, 'plain-provider', plainProvider('v4')));
    expect(await removeProvider(place.directory, 'plain', place.around)).toEqual({ ok: true, value: true });
    expect(place.directory.list()).toEqual({ ok: true, value: [] });
    expect(existsSync(join(place.home, 'providers/node_modules/plain-provider'))).toBe(false);
    expect(await removeProvider(place.directory, 'plain', place.around)).toEqual({ ok: true, value: false });
  });

  test('that is broken later is a clear problem, before and at the first request', async () => {
    const place = newPlace();
    mkdirSync(join(place.home, 'providers'), { recursive: true });
    writeFileSync(join(place.home, 'providers/odd.mjs'), 'export const nothing = 1;');
    const odd = {
      name: 'odd',
      package: 'odd',
      version: '1',
      factory: 'createOdd',
      keyVariable: null,
      file: 'odd.mjs',
    };
    place.directory.save(odd);
    const asked = await resolveOrSuggest('odd/m', place.config({}));
    expect(asked).toMatchObject({
      ok: false,
      problem: { hint: expect.stringContaining('cadre providers add') },
    });
    const resolved = resolveModel('odd/m', place.config({}));
    const failure = resolved.ok ? failureOf(await collect(resolved.value, request())) : undefined;
    expect(failure).toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('does not export createOdd'),
    });
  });

  testWithNpm('without its key is a clear problem; a stored key counts', async () => {
    const place = newPlace();
    await place.add(writePackage(place.path, 'plain-provider', plainProvider('v4')));
    const asked = await resolveOrSuggest('plain/m', place.config({}));
    expect(asked).toMatchObject({ ok: false, problem: { hint: expect.stringContaining('PLAIN_API_KEY') } });
    const stored = { ...place.config({}), keys: memoryKeyStore({ plain: 'k2' }) };
    expect(await resolveOrSuggest('plain/m', stored)).toMatchObject({ ok: true });
  });
});

/** A whole provider package of the AI SDK, its dependencies taken from beside it. */
describe('a real provider package', () => {
  const place = newPlace();
  for (const { name, run } of modelConformance()) {
    testWithNpm(name, () =>
      run(async (script) => {
        if (place.names().length === 0) {
          const added = await place.add(await writeRealPackage(place.path));
          if (!added.ok) throw new Error(added.problem.message);
        }
        const provider = await fakeProvider({ script, apiKey: 'test-key' });
        return {
          model: await place.model('chatty/m', chattyEnv(provider)),
          received: () => provider.received,
          has: { signatures: false, errorFlag: false, cacheWrites: false },
          async close() {
            await provider.close();
            provider.assertConsumed();
          },
        };
      }),
    );
  }
});

describe('names', () => {
  const cases: [packageName: string, name: string][] = [
    ['@ai-sdk/mistral', 'mistral'],
    ['@openrouter/ai-sdk-provider', 'openrouter'],
    ['zhipu-ai-provider', 'zhipu'],
    ['ai-sdk-provider-gemini-cli', 'provider-gemini-cli'],
  ];
  for (const [packageName, name] of cases) {
    test(`${packageName} is ${name}`, () => expect(deriveProviderName(packageName)).toBe(name));
  }

  for (const spec of ['--global', 'git+https://x/y', 'https://x/y.tgz', 'x y', 'a@npm:b', '@/x', '']) {
    test(`'${spec}' is no package`, () => expect(parsePackageSpec(spec, '/').ok).toBe(false));
  }

  test('a name with a version is one', () => {
    expect(parsePackageSpec('@ai-sdk/mistral@^4.0.1', '/')).toEqual({
      ok: true,
      value: { spec: '@ai-sdk/mistral@^4.0.1', name: '@ai-sdk/mistral' },
    });
  });

  test('a built-in name cannot be taken', async () => {
    const place = newPlace();
    const added = await place.add('@ai-sdk/openai', {});
    expect(added).toMatchObject({
      ok: false,
      problem: { hint: expect.stringContaining('--name my-openai') },
    });
  });
});

describe('the list of providers', () => {
  test('that others can write is refused: it names code to run', () => {
    const place = newPlace();
    mkdirSync(join(place.home, 'providers'), { recursive: true });
    const file = join(place.home, 'providers', 'providers.json');
    writeFileSync(file, '{"version":1,"providers":{}}');
    chmodSync(file, 0o666);
    expect(place.directory.list()).toMatchObject({
      ok: false,
      problem: { hint: `Restrict it with: chmod 600 ${file}` },
    });
  });

  test('cannot lead out of the directory', () => {
    const place = newPlace();
    mkdirSync(join(place.home, 'providers'), { recursive: true });
    const evil = { package: 'p', version: '1', factory: 'createX', keyVariable: null, file: '../../evil.js' };
    const content = JSON.stringify({ version: 1, providers: { evil } });
    writeFileSync(join(place.home, 'providers', 'providers.json'), content, { mode: 0o600 });
    expect(place.directory.list()).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('evil.file') },
    });
  });
});

function newPlace() {
  const { path } = temporaryDirectory();
  const home = join(path, 'home');
  const directory = openProviderDirectory(home);
  const around = {
    environment: { PATH: process.env.PATH ?? '', HOME: path, npm_config_offline: 'true' },
    cwd: path,
    clock: systemClock,
  };
  const config = (env: Record<string, string>): ModelConfig => ({
    env,
    keys: memoryKeyStore(),
    clock: systemClock,
    added: directory,
  });
  return {
    path,
    home,
    directory,
    around,
    config,
    add: (spec: string, parts: { name?: string } = {}) => addProvider(directory, { spec, ...parts }, around),
    names: () => {
      const known = directory.list();
      return known.ok ? known.value.map(({ name }) => name) : [];
    },
    async model(name: string, env: Record<string, string>): Promise<Model> {
      const found = await resolveOrSuggest(name, config(env));
      if (!found.ok) throw new Error(`${found.problem.message}\n${found.problem.hint}`);
      return found.value;
    },
  };
}

function writePackage(path: string, name: string, source: string): string {
  const directory = join(path, 'source', name);
  mkdirSync(join(directory, 'node_modules/dependency'), { recursive: true });
  const described = {
    name,
    version: '1.2.3',
    type: 'module',
    exports: { '.': { types: './index.d.ts', import: './index.js' } },
    scripts: { postinstall: `touch ${join(path, 'script-ran')}` },
    dependencies: { dependency: '1.0.0' },
    bundleDependencies: ['dependency'],
  };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(described));
  writeFileSync(join(directory, 'index.js'), source);
  writeFileSync(
    join(directory, 'node_modules/dependency/package.json'),
    JSON.stringify({ name: 'dependency', version: '1.0.0', main: 'lib/main.js' }),
  );
  mkdirSync(join(directory, 'node_modules/dependency/lib'), { recursive: true });
  writeFileSync(join(directory, 'node_modules/dependency/lib/main.js'), "exports.word = 'dependency works';");
  return directory;
}

/** Answers with what it was given. The versions differ in how they end. */
function plainProvider(version: string): string {
  const tokens =
    version === 'v2'
      ? '{ inputTokens: 10, cachedInputTokens: 4, outputTokens: 3, totalTokens: 13 }'
      : '{ inputTokens: { total: 10, noCache: 6, cacheRead: 4 }, outputTokens: { total: 3 } }';
  const reason = version === 'v2' ? "'stop'" : "{ unified: 'stop', raw: 'stop' }";
  return `
import { word } from 'dependency';
export function createPlain({ apiKey }) {
  const languageModel = (id) => ({
    specificationVersion: '${version}',
    provider: 'plain',
    modelId: id,
    supportedUrls: {},
    async doStream() {
      const parts = [
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: id + ' with ' + apiKey + ': ' + word },
        { type: 'text-end', id: '1' },
        { type: 'finish', finishReason: ${reason}, usage: ${tokens} },
      ];
      return { stream: new ReadableStream({ start(c) { for (const p of parts) c.enqueue(p); c.close(); } }) };
    },
  });
  return { languageModel };
}`;
}

/** The package of Chat Completions that we have ourselves, with all that it needs inside. */
async function writeRealPackage(path: string): Promise<string> {
  const directory = join(path, 'source', 'chatty');
  mkdirSync(directory, { recursive: true });
  const described = { name: 'chatty', version: '1.0.0', type: 'module', exports: './index.js' };
  writeFileSync(join(directory, 'package.json'), JSON.stringify(described));
  const entry = findPackageFile('@ai-sdk/openai-compatible', repository, repository) ?? '';
  const bundle = await bundleModule(entry, repository);
  writeFileSync(join(directory, 'index.js'), (bundle.ok && bundle.value) || '');
  return directory;
}

function chattyEnv(provider: FakeProvider): Record<string, string> {
  return { CHATTY_API_KEY: 'test-key', CHATTY_BASE_URL: `${provider.url}/v1` };
}
