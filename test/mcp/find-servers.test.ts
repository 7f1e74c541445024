import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { readServer } from '../../src/mcp/config.ts';
import { type FindOptions, findServers } from '../../src/mcp/find-servers.ts';
import { noSettings } from '../../src/settings/merge.ts';
import { describeTrust, grantTrust } from '../../src/settings/trust/describe.ts';
import { openTrust } from '../../src/settings/trust.ts';
import { temporaryDirectory } from '../support/index.ts';

function lookIn(files: Record<string, unknown>, options: Partial<FindOptions> = {}) {
  const { path } = temporaryDirectory();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  const place = {
    root: join(path, 'work'),
    cwd: join(path, 'work'),
    home: join(path, 'home/.cadre'),
    userHome: join(path, 'home'),
  };
  mkdirSync(place.cwd, { recursive: true });
  const find = (more: Partial<FindOptions> = {}) =>
    findServers({
      ...place,
      environment: {},
      sources: ['user', 'project', 'local'],
      settings: noSettings(),
      trust: openTrust(place),
      ...options,
      ...more,
    });
  return { place, find, found: find() };
}

const run = (command: string) => ({ command });
const variable = (name: string) => `\${${name}}`;

test('a server of a repository is not started before it is trusted, and each is trusted by itself', async () => {
  const files = { 'work/.mcp.json': { mcpServers: { evil: run('curl'), other: run('ls') } } };
  const { found, place, find } = lookIn(files);
  expect(found.servers).toEqual([]);
  expect(found.left.map(({ name, reason }) => [name, reason.includes('not trusted')])).toEqual([
    ['evil', true],
    ['other', true],
  ]);
  const described = await describeTrust(place);
  if (!described.ok) throw new Error(described.problem.message);
  await grantTrust(described.value, place, systemClock);
  expect(find({ trust: openTrust(place) }).servers.map(({ name, scope }) => [name, scope])).toEqual([
    ['evil', 'project'],
    ['other', 'project'],
  ]);
  writeFileSync(
    join(place.root, '.mcp.json'),
    JSON.stringify({ mcpServers: { evil: run('wget'), other: run('ls') } }),
  );
  const changed = find({ trust: openTrust(place) });
  expect(changed.servers.map(({ name }) => name)).toEqual(['other']);
  expect(changed.left[0]?.reason).toContain('changed');
});

test("servers in a file of the user's that every user can write are not started, and the file is named", () => {
  const { place, find } = lookIn({
    'home/.claude.json': { mcpServers: { a: run('touch') } },
    'home/.cadre/mcp.json': { mcpServers: { b: run('ls') } },
  });
  const file = join(place.userHome, '.claude.json');
  chmodSync(file, 0o666);
  const { servers, problems } = find();
  expect(servers.map(({ name }) => name)).toEqual(['b']);
  expect(problems).toEqual([
    `${file} can be written by every user, who could change what Cadre does for you.`,
  ]);
});

test('local goes before project, which goes before user; flags go before all of them', () => {
  const { place, find } = lookIn({
    'home/.cadre/mcp.json': { mcpServers: { a: run('user'), b: run('user'), c: run('user') } },
    'work/.mcp.json': { mcpServers: { a: run('project'), b: run('project') } },
    'home/.claude.json': { numStartups: 3, mcpServers: { c: run('other'), d: run('other') } },
  });
  writeFileSync(
    join(place.home, 'mcp.json'),
    JSON.stringify({
      mcpServers: { a: run('user'), b: run('user'), c: run('user') },
      projects: { [place.root]: { mcpServers: { a: run('local') } } },
    }),
  );
  const trust = openTrust({ ...place, everything: true });
  const { servers } = find({
    trust,
    flags: ['{"mcpServers":{"e":{"command":"flag"},"d":{"command":"flag"}}}'],
  });
  expect(
    servers.map(({ name, transport }) => [name, 'command' in transport ? transport.command : '']),
  ).toEqual([
    ['a', 'local'],
    ['b', 'project'],
    ['c', 'user'],
    ['d', 'flag'],
    ['e', 'flag'],
  ]);
});

test('with --strict-mcp-config only what flags and the program name counts', () => {
  const { find } = lookIn({ 'home/.cadre/mcp.json': { mcpServers: { a: run('user') } } });
  const found = find({ strict: true, flags: ['{"b":{"command":"flag"}}'], given: { c: run('library') } });
  expect(found.servers.map(({ name }) => name)).toEqual(['b', 'c']);
});

test('a broken entry costs itself and is explained by file and field', () => {
  const { found } = lookIn({
    'home/.cadre/mcp.json': {
      mcpServers: {
        good: run('ls'),
        typo: { type: 'stdoi', command: 'x' },
        noCommand: { args: [] },
        badArgs: { command: 'x', args: [1] },
        badUrl: { url: 'ftp://x' },
        unset: { command: 'x', env: { A: variable('NOT_SET_ANYWHERE') } },
        text: 'x',
      },
    },
  });
  expect(found.servers.map(({ name }) => name)).toEqual(['good']);
  const problems = found.problems.join('\n');
  expect(problems).toContain('mcp.json: mcpServers.typo.type: expected stdio, http or sse');
  expect(problems).toContain('mcpServers.noCommand.command: expected the program to start');
  expect(problems).toContain('mcpServers.badArgs.args: expected a list of strings');
  expect(problems).toContain('mcpServers.badUrl.url: expected an http or https address');
  expect(problems).toContain('mcpServers.unset.env.A: expected the variable NOT_SET_ANYWHERE to be set');
  expect(found.fatal).toBeUndefined();
});

test('files that are no JSON, or no object, are problems; a flag that is none ends the start', () => {
  const { found, find } = lookIn({ 'home/.cadre/mcp.json': '{"mcpServers": {', 'work/.mcp.json': '[]' });
  expect(found.problems).toHaveLength(2);
  expect(found.problems[0]).toContain('mcp.json');
  expect(find({ flags: [' '] }).fatal).toBe('--mcp-config is empty: expected a file or a JSON object');
  expect(find({ flags: ['{nope'] }).fatal).toContain('--mcp-config: not valid JSON');
  expect(find({ flags: ['missing.json'] }).fatal).toContain('expected an existing file');
});

describe('settings leave servers out', () => {
  const files = {
    'home/.cadre/mcp.json': { mcpServers: { a: run('ls'), b: { url: 'https://x.example/mcp' } } },
  };
  test.each([
    [{ deniedMcpServers: [{ serverName: 'a' }] }, ['b']],
    [{ deniedMcpServers: [{ serverCommand: ['ls'] }] }, ['b']],
    [{ deniedMcpServers: [{ serverUrl: 'https://*.example/*' }] }, ['a']],
    [{ deniedMcpServers: [], allowedMcpServers: [{ serverName: 'b' }] }, ['b']],
    [{ deniedMcpServers: [{ serverName: 'b' }], allowedMcpServers: [{ serverName: 'b' }] }, []],
  ])('%j', (given, names) => {
    const { found } = lookIn(files, { settings: { ...noSettings(), ...given } });
    expect(found.servers.map(({ name }) => name)).toEqual(names);
  });

  test('servers of .mcp.json are switched by name, trusted or not', () => {
    const { find, place } = lookIn({ 'work/.mcp.json': { mcpServers: { a: run('ls'), b: run('ls') } } });
    const trust = openTrust({ ...place, everything: true });
    const none = noSettings();
    expect(
      find({ trust, settings: { ...none, disabledMcpjsonServers: ['a'] } }).servers.map(({ name }) => name),
    ).toEqual(['b']);
    expect(
      find({ trust, settings: { ...none, enabledMcpjsonServers: ['a'] } }).servers.map(({ name }) => name),
    ).toEqual(['a']);
  });
});

test('variables are filled in, with defaults, once', () => {
  const read = readServer(
    'x',
    {
      command: variable('TOOL:-ls'),
      args: [variable('DIR'), variable('EMPTY:-preset')],
      env: { A: variable('NESTED') },
    },
    { scope: 'user', source: 'x', environment: { DIR: '/tmp', EMPTY: '', NESTED: variable('DIR') } },
  );
  expect(read.ok && read.value.transport).toEqual({
    type: 'stdio',
    command: 'ls',
    args: ['/tmp', 'preset'],
    env: { A: variable('DIR') },
  });
});

test('streamable-http is http, an address alone is http too, and its login may be registered beforehand', () => {
  const origin = { scope: 'user' as const, source: 'x', environment: {} };
  for (const type of ['http', 'streamable-http', undefined])
    expect(readServer('x', { type, url: 'http://h/mcp' }, origin)).toMatchObject({
      value: { transport: { type: 'http' } },
    });
  expect(
    readServer('x', { url: 'http://h', oauth: { clientId: 'c', callbackPort: 8080 } }, origin),
  ).toMatchObject({
    value: { transport: { oauth: { clientId: 'c', callbackPort: 8080 } } },
  });
  expect(readServer('x', { url: 'http://h', oauth: { callbackPort: 'x' } }, origin).ok).toBe(false);
});
