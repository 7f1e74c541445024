import { afterAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { systemClock } from '../../src/lib/clock.ts';
import { memoryKeyStore } from '../../src/models/keys.ts';
import { resolveModel } from '../../src/models/resolve.ts';
import { findProxy, openTransport } from '../../src/models/transport.ts';
import type { ModelEvent, ModelRequest } from '../../src/protocol/index.ts';
import { fakeProvider, type TemporaryWorkspace, temporaryWorkspace } from '../../src/testing/index.ts';
import { needs } from '../support/index.ts';

const servers: Server[] = [];
let secrets: TemporaryWorkspace | undefined;
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await secrets?.dispose();
});

describe('which proxy', () => {
  const cases: [url: string, env: Record<string, string>, proxy: string | undefined][] = [
    ['https://a.example/v1', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
    ['https://a.example/v1', { HTTP_PROXY: 'http://p:1' }, undefined],
    ['http://a.example/v1', { HTTP_PROXY: 'p:1' }, 'http://p:1'],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' }, 'http://q:2'],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example' }, undefined],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'x, .a.example' }, undefined],
    ['https://ba.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.example' }, 'http://p:1'],
    ['https://a.example:8443', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a.example:443' }, 'http://p:1'],
    ['https://a.example', { HTTPS_PROXY: 'http://p:1', no_proxy: '*' }, undefined],
  ];
  for (const [url, env, proxy] of cases) {
    test(`${url} with ${JSON.stringify(env)}`, () => expect(findProxy(new URL(url), env)).toBe(proxy));
  }
});

test('a request to a plain address goes through HTTP_PROXY', async () => {
  await using provider = await fakeProvider({ script: ['through the proxy'] });
  const proxy = await forwardProxy();
  const events = await ask({
    ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'k',
    HTTP_PROXY: proxy.url,
  });
  expect(events.at(-1)?.type).toBe('response_ended');
  expect(proxy.seen).toEqual([`POST ${provider.url}/v1/messages`]);
});

test('where the proxy cannot be reached it is named, without its password', async () => {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', ANTHROPIC_API_KEY: 'k' };
  const ended = (await ask({ ...env, HTTP_PROXY: 'http://me:hidden@nowhere.invalid:81' })).at(-1);
  expect(ended).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
  const told = JSON.stringify(ended);
  expect(told).toContain('127.0.0.1:9 through the proxy nowhere.invalid:81 failed');
  expect(told).toContain('HTTP_PROXY');
  expect(told).not.toContain('hidden');
});

test('NO_PROXY is gone to directly', async () => {
  await using provider = await fakeProvider({ script: ['direct'] });
  const proxy = await forwardProxy();
  const env = {
    ANTHROPIC_BASE_URL: provider.url,
    ANTHROPIC_API_KEY: 'k',
    HTTP_PROXY: proxy.url,
    NO_PROXY: '127.0.0.1',
  };
  expect((await ask(env)).at(-1)?.type).toBe('response_ended');
  expect(proxy.seen).toEqual([]);
});

needs('openssl')('a secure request goes through HTTPS_PROXY and trusts the extra authority', async () => {
  const { url, certificate } = await secureServer();
  const proxy = await forwardProxy();
  const env = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: proxy.url };
  const distrusted = (await ask(env)).at(-1);
  expect(distrusted).toMatchObject({ type: 'response_failed', failure: { kind: 'network' } });
  expect(JSON.stringify(distrusted)).toContain('NODE_EXTRA_CA_CERTS');
  const trusted = (await ask({ ...env, NODE_EXTRA_CA_CERTS: certificate })).at(-1);
  expect(trusted).toMatchObject({ type: 'response_failed', failure: { kind: 'server', status: 500 } });
  expect(proxy.seen).toEqual([`CONNECT ${new URL(url).host}`, `CONNECT ${new URL(url).host}`]);
});

test('certificates are read once for an environment, however many models it has', () => {
  const env = { NODE_EXTRA_CA_CERTS: import.meta.path };
  const [first, second] = [openTransport(env), openTransport(env)];
  expect(first.ok && second.ok && first.value === second.value).toBe(true);
});

test('certificates that cannot be read are a usage problem', () => {
  const opened = openTransport({ NODE_EXTRA_CA_CERTS: '/no/such/file.pem' });
  expect(opened).toMatchObject({
    ok: false,
    problem: { kind: 'usage', message: expect.stringContaining('/no/such/file.pem') },
  });
});

async function ask(env: Record<string, string>): Promise<ModelEvent[]> {
  const model = resolveModel('sonnet', { env, keys: memoryKeyStore(), clock: systemClock });
  if (!model.ok) throw new Error(model.problem.message);
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }],
    maxOutputTokens: 100,
    thinking: { type: 'off' as const },
  };
  const events: ModelEvent[] = [];
  for await (const event of model.value.stream(request, new AbortController().signal)) events.push(event);
  return events;
}

/** A real proxy: forwards plain requests, tunnels the others. */
async function forwardProxy(): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { method, headers } = incoming;
    const onward = httpRequest(incoming.url ?? '', { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket) => {
    seen.push(`CONNECT ${incoming.url}`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return { url: await listen(server), seen };
}

async function secureServer(): Promise<{ url: string; certificate: string }> {
  secrets = await temporaryWorkspace();
  const [key, certificate] = [secrets.file('key.pem'), secrets.file('cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '1',
  ];
  execFileSync('openssl', [...args, '-keyout', key, '-out', certificate, ...subject], { stdio: 'ignore' });
  const server = createSecureServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (_, response) => {
      response.writeHead(500).end('{}');
    },
  );
  const url = new URL(await listen(server));
  return { url: `https://localhost:${url.port}`, certificate };
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a redirect is not followed: neither key nor conversation goes to another address', async () => {
  const seen: string[] = [];
  const evil = Bun.serve({
    port: 0,
    fetch: (request) => {
      seen.push(request.url);
      return new Response('');
    },
  });
  const server = Bun.serve({
    port: 0,
    fetch: () =>
      new Response(null, { status: 307, headers: { location: `http://127.0.0.1:${evil.port}/steal` } }),
  });
  for (const [name, variable] of [
    ['anthropic/claude-x', 'ANTHROPIC_BASE_URL'],
    ['openai/x', 'OPENAI_BASE_URL'],
  ] as const) {
    const env = {
      [variable]: `http://127.0.0.1:${server.port}`,
      ANTHROPIC_API_KEY: 'secret-key-1',
      OPENAI_API_KEY: 'secret-key-1',
    };
    const model = resolveModel(name, { env, keys: memoryKeyStore(), clock: systemClock });
    if (!model.ok) throw new Error(model.problem.message);
    const events = await Array.fromAsync(model.value.stream(redirectRequest, new AbortController().signal));
    expect(events.at(-1)).toMatchObject({
      type: 'response_failed',
      failure: { message: expect.stringContaining('/steal') },
    });
  }
  expect(seen).toEqual([]);
  await Promise.all([evil.stop(true), server.stop(true)]);
});

const redirectRequest: ModelRequest = {
  system: [],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  maxOutputTokens: 100,
  thinking: { type: 'off' },
};

test.each([
  ['socks5://user:secret@127.0.0.1:1080', 'socks5://'],
  ['file:///etc/passwd', 'file://'],
  ['http://', 'not the address'],
])('a proxy of %s is refused by its variable before anything is sent', (proxy, named) => {
  const env = { ANTHROPIC_API_KEY: 'k', HTTPS_PROXY: proxy };
  const config = { env, keys: memoryKeyStore(), clock: systemClock };
  const made = resolveModel('anthropic/claude-sonnet-4-5', config);
  expect(made).toMatchObject({ ok: false, problem: { kind: 'usage' } });
  expect(JSON.stringify(made)).toContain('HTTPS_PROXY');
  expect(JSON.stringify(made)).toContain(named);
  expect(JSON.stringify(made)).not.toContain('secret');
  expect(resolveModel('anthropic/claude-sonnet-4-5', { ...config, env: { ...env, NO_PROXY: '*' } }).ok).toBe(
    true,
  );
});

test('a request to an address behind such a proxy fails at once', async () => {
  const opened = openTransport({ http_proxy: 'socks5://127.0.0.1:1' });
  if (!opened.ok) throw new Error(opened.problem.message);
  await expect(opened.value('http://example.invalid/')).rejects.toThrow('http_proxy is not the address');
});
