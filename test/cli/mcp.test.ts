import { expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { call, fakeProvider } from '../../src/testing/index.ts';
import { fakeServer, pidsIn } from '../mcp/support.ts';
import { cadre, newPlace } from './support.ts';

const words = ({ command, args }: { command: string; args: string[] }) => ['--', command, ...args];

test('servers are added, listed, tested and removed, by scope', async () => {
  const place = newPlace();
  const mcp = (...args: string[]) => cadre(['mcp', ...args], { place });
  expect(await mcp('add', 'mine', ...words(fakeServer('plain')))).toMatchObject({ code: 0, err: '' });
  expect(await mcp('add', 'web', 'https://h.example/mcp', '-s', 'user', '-H', 'X-Key: hush')).toMatchObject({
    code: 0,
  });
  expect(statSync(join(place.home, 'mcp.json')).mode & 0o777).toBe(0o600);
  expect(await mcp('add', 'mine', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('A server "mine" already exists'),
  });
  expect(await mcp('add', 'bad', 'x', '-s', 'nowhere')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--scope nowhere'),
  });
  const listed = await mcp('list', '--json');
  expect(
    JSON.parse(listed.out).servers.map((one: { name: string; scope: string }) => [one.name, one.scope]),
  ).toEqual([
    ['mine', 'local'],
    ['web', 'user'],
  ]);
  expect(listed.out).not.toContain('hush');
  expect(await mcp('test', 'mine')).toMatchObject({
    code: 0,
    out: expect.stringContaining('mine: connected, fake 1, 8 tools'),
  });
  expect(await mcp('test', 'nobody')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Available: mine, web.'),
  });
  expect(await mcp('login', 'mine')).toMatchObject({ code: 2 });
  expect(await mcp('remove', 'mine')).toMatchObject({ code: 0 });
  expect(await mcp('remove', 'mine')).toMatchObject({ code: 2 });
});

test('a server of the repository starts once it is trusted, not before, and not for one test', async () => {
  const place = newPlace();
  const mark = join(place.cwd, 'mark');
  writeFileSync(
    join(place.cwd, '.mcp.json'),
    JSON.stringify({ mcpServers: { theirs: fakeServer('plain', mark) } }),
  );
  await using provider = await fakeProvider({ script: () => 'hi' });
  const before = await cadre(['-p', 'Hi'], { place, provider });
  expect(before.err).toContain('you have not trusted it (run cadre trust): MCP server theirs.');
  expect(await cadre(['mcp', 'test', 'theirs'], { place })).toMatchObject({ code: 2 });
  expect(pidsIn(mark)).toEqual([]);
  expect(await cadre(['trust', '--yes'], { place })).toMatchObject({ code: 0 });
  expect(await cadre(['mcp', 'test', 'theirs'], { place })).toMatchObject({ code: 0 });
  expect(pidsIn(mark)).toHaveLength(1);
});

test('a tool that changed is shown and not used until somebody approves it, and no agent can', async () => {
  const place = newPlace();
  const file = join(place.cwd, 'text');
  const mcp = (args: string[], env = {}) => cadre(['mcp', ...args], { place, env });
  await mcp(['add', 'fake', ...words(fakeServer('changing', file))]);
  expect((await mcp(['test', 'fake'])).code).toBe(0);
  writeFileSync(file, 'Now with hidden wishes.');
  const shown = await mcp(['test', 'fake']);
  expect(shown).toMatchObject({ code: 1, out: expect.stringContaining('not used: say') });
  expect(shown.err).toContain('before: Says what it is given.');
  expect(shown.err).toContain('now:    Now with hidden wishes.');
  const agent = { CADRE_OWNER: 'some-session' };
  expect((await mcp(['test', 'fake', '--approve'], agent)).code).toBe(1);
  expect(await mcp(['add', 'more', 'x'], agent)).toMatchObject({
    code: 2,
    err: expect.stringContaining('An agent cannot'),
  });
  expect((await mcp(['test', 'fake', '--approve'])).code).toBe(0);
  expect((await mcp(['test', 'fake'])).code).toBe(0);
});

test('--mcp-config brings a server along; what cannot be read of it is a usage error', async () => {
  const place = newPlace();
  const config = join(place.cwd, 'servers.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { fake: fakeServer('plain') } }));
  let turn = 0;
  await using provider = await fakeProvider({
    script: () => (turn++ === 0 ? call('mcp__fake__say', { text: 'from the server' }) : 'done'),
  });
  const flags = ['--mcp-config', config, '--strict-mcp-config', '--allowedTools', 'mcp__fake'];
  const env = { CADRE_MCP_STARTUP_WAIT_MS: '20000' };
  const run = await cadre(['-p', 'Go', ...flags, '--output-format', 'stream-json'], { place, provider, env });
  expect(run.out).toContain('from the server');
  expect(run.out).toContain('"mcp_servers":[{"name":"fake","status":"connected"}]');
  expect(await cadre(['-p', 'Go', '--mcp-config', 'nowhere.json'], { place, provider })).toMatchObject({
    code: 2,
    err: expect.stringContaining('--mcp-config nowhere.json: expected an existing file'),
  });
  expect(readFileSync(join(place.home, 'mcp-pins.json'), 'utf8')).toContain('"say"');
});

test('a server cannot do anything to the terminal that lists it, and what is left out is said', async () => {
  const place = newPlace();
  await cadre(['mcp', 'add', 'evil', ...words(fakeServer('hostile'))], { place });
  for (const flags of [[], ['--json']]) {
    const { out, err, code } = await cadre(['mcp', 'test', 'evil', ...flags], { place });
    expect({ err, code }).toEqual({ err: '', code: 0 });
    expect(out.length).toBeLessThan(12_000);
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(out).toContain('a tool is ignored: hidden: its input schema has a name with invisible characters');
    expect(out).toContain('a tool is ignored: a tool without a name');
  }
});

test('an address that is no web address is refused, and a broken entry is explained when it is tested', async () => {
  const place = newPlace();
  const mcp = (...args: string[]) => cadre(['mcp', ...args], { place });
  expect(await mcp('add', 'files', 'ftp://h.example/x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('expected an address starting with https:// or http://'),
  });
  await mcp('add', 'env', '--', '$' + '{NOPE}');
  expect(await mcp('test', 'env')).toMatchObject({ code: 2, err: expect.stringContaining('NOPE') });
});

test('a server that fails at the start is told of on the error stream, and the model is told that it failed', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: () => 'hi' });
  const servers = JSON.stringify({ mcpServers: { bad: fakeServer('crashing') } });
  const patient = ['--settings', '{"mcp":{"startupWaitMs":20000}}'];
  const { code, err } = await cadre(['-p', 'Hi', '--mcp-config', servers, ...patient], { place, provider });
  expect(code).toBe(0);
  expect(err).toContain('MCP server bad is not available.');
  expect(JSON.stringify(provider.received[0])).toContain('MCP servers that could not be started: bad.');
});

test('a silent server is waited for as long as is set the first time, and not at all the second', async () => {
  const place = newPlace();
  await using provider = await fakeProvider({ script: () => 'hi' });
  const servers = JSON.stringify({ mcpServers: { bad: fakeServer('deaf') } });
  const run = (startupWaitMs: number) => {
    const settings = JSON.stringify({ mcp: { startupWaitMs } });
    return cadre(['-p', 'Hi', '--mcp-config', servers, '--settings', settings], { place, provider });
  };
  expect(await run(1_000)).toMatchObject({ code: 0 });
  // Whoever waited now would not be done within any test's time.
  expect(await run(600_000)).toMatchObject({ code: 0 });
});
