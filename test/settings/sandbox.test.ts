import { beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LoadedSettings, loadSettings } from '../../src/settings/load.ts';
import { temporaryDirectory } from '../support/index.ts';

let top: string;

beforeEach(() => {
  top = temporaryDirectory().path;
});

const user = 'user/.cadre/settings.json';
const project = 'work/.cadre/settings.json';

async function load(files: Record<string, object>, trusted = false): Promise<LoadedSettings> {
  for (const [name, sandbox] of Object.entries(files)) {
    mkdirSync(dirname(join(top, name)), { recursive: true });
    writeFileSync(join(top, name), JSON.stringify({ sandbox }));
  }
  const loaded = await loadSettings({
    ...{
      home: join(top, 'user/.cadre'),
      userHome: join(top, 'user'),
      cwd: join(top, 'work'),
      root: join(top, 'work'),
    },
    ...{ sources: ['user', 'project', 'local'], trusted, managedDirectories: [] },
  });
  if (!loaded.ok) throw new Error(loaded.problem.message);
  return loaded.value;
}

test('single values: the highest wins; lists are joined, paths absolute', async () => {
  const { sandbox } = await load(
    {
      [user]: {
        enabled: true,
        excludedCommands: ['docker'],
        filesystem: { allowWrite: ['~/cache', '/var/x', '//srv'] },
      },
      [project]: { enabled: false, excludedCommands: ['podman'], filesystem: { allowWrite: ['out'] } },
    },
    true,
  );
  expect(sandbox.enabled).toBe(false);
  expect(sandbox.excludedCommands).toEqual(['podman', 'docker']);
  expect(sandbox.filesystem.allowWrite).toEqual([
    join(top, 'work/out'),
    join(top, 'user/cache'),
    '/var/x',
    '/srv',
  ]);
});

test('C5 a repository that is not trusted can make it tighter', async () => {
  const { sandbox, held } = await load({
    [user]: { enabled: false },
    [project]: {
      ...{ enabled: true, autoAllowBashIfSandboxed: false, allowUnsandboxedCommands: false },
      filesystem: { denyRead: ['.env'], denyWrite: ['./dist'] },
      network: { deniedDomains: ['example.com'] },
    },
  });
  expect(sandbox).toMatchObject({
    ...{ enabled: true, autoAllowBashIfSandboxed: false, allowUnsandboxedCommands: false },
    network: { deniedDomains: ['example.com'] },
  });
  expect(
    [...sandbox.filesystem.denyRead, ...sandbox.filesystem.denyWrite].map(
      ({ tool, specifier }) => `${tool}(${specifier})`,
    ),
  ).toEqual(['Read(.env)', `Edit(/${join(top, 'work/dist')})`, 'Edit(./dist)']);
  expect(held).toEqual([]);
});

test('a relative path that is denied in the settings of the user means the workspace and the home', async () => {
  const { sandbox } = await load({
    [user]: { filesystem: { denyRead: ['sub/.env', './plain', '*.pem', '~/notes', '/etc/x', '~'] } },
  });
  expect(sandbox.filesystem.denyRead.map(({ specifier }) => specifier)).toEqual([
    ...[`/${join(top, 'user/sub/.env')}`, 'sub/.env', `/${join(top, 'user/plain')}`, './plain'],
    ...['*.pem', `/${join(top, 'user/notes')}`, '//etc/x', `/${join(top, 'user')}`],
  ]);
});

test('C5 and never looser', async () => {
  const loose = {
    ...{
      enabled: false,
      autoAllowBashIfSandboxed: true,
      allowUnsandboxedCommands: true,
      failIfUnavailable: false,
    },
    ...{ excludedCommands: ['sh'], bwrapPath: '/work/evil', socatPath: '/work/evil' },
    network: { allowedDomains: ['evil.test'], allowAllUnixSockets: true, allowLocalBinding: true },
    filesystem: { allowWrite: ['/'], allowRead: ['~/.ssh'] },
  };
  const { sandbox, held } = await load({ [project]: loose });
  expect(sandbox).toEqual({
    excludedCommands: [],
    network: { allowedDomains: [], deniedDomains: [] },
    filesystem: { allowWrite: [], allowRead: [], denyRead: [], denyWrite: [] },
  });
  expect(held).toHaveLength(12);
  expect(held.every(({ key, liftedBy }) => key.startsWith('sandbox.') && liftedBy === 'trust')).toBe(true);
});

test('what this version does not act on is named', async () => {
  const { unheeded } = await load({
    [user]: {
      ...{ enableWeakerNestedSandbox: true, ignoreViolations: {}, allowAppleEvents: false },
      network: { allowUnixSockets: ['/run/docker.sock'], httpProxyPort: 8080 },
      filesystem: { disabled: true, allowWrite: ['build/*'] },
    },
  });
  expect(unheeded.map(({ key }) => key)).toEqual([
    'sandbox.enableWeakerNestedSandbox',
    'sandbox.ignoreViolations',
    'sandbox.network.allowUnixSockets',
    'sandbox.network.httpProxyPort',
    'sandbox.filesystem.disabled',
    'sandbox.filesystem.allowWrite',
  ]);
  expect(unheeded.at(-1)?.ignored).toBe('patterns are not supported here, so build/* has no effect');
});

test('a pattern below a directory that the sandbox cannot hold everywhere is told, with what holds', async () => {
  const of = async (denyRead: string[]) =>
    (await load({ [user]: { filesystem: { denyRead } } })).unheeded.map(({ ignored }) => ignored);
  for (const pattern of ['src/*.key', './src/*.key', '**/.env', 'src/**/x', '~/notes/?', '/srv/*/x'])
    expect((await of([pattern]))[0]).toContain(`add the deny rule Read(${pattern})`);
  for (const path of ['src', 'src/**', 'src/a.key', '~/notes/**', '*.key', '.env', '/srv/x'])
    expect([path, await of([path])]).toEqual([path, []]);
});

test('a wrong value is named with its field', async () => {
  await expect(load({ [user]: { network: { allowedDomains: 'example.com' } } })).rejects.toThrow(
    'sandbox.network.allowedDomains: expected a list, found a string',
  );
});

test('a wrong value stops the start and is named with its field: none is found wrong later', async () => {
  const host = 'expected a host, such as example.com, *.example.com or example.com:8080';
  for (const [wrong, said] of [
    [{ network: { allowedDomains: ['example.com', 'https://x.com/y'] } }, `allowedDomains[1]: ${host}`],
    [{ network: { deniedDomains: ['a b'] } }, `deniedDomains[0]: ${host}`],
    [{ filesystem: { denyRead: [''] } }, 'filesystem.denyRead[0]: expected a path'],
    [{ filesystem: { denyWrite: ['a\0b'] } }, 'filesystem.denyWrite[0]: expected a path'],
    [{ filesystem: { allowWrite: [' '] } }, 'filesystem.allowWrite[0]: expected a path'],
    [{ filesystem: { allowRead: [''] } }, 'filesystem.allowRead[0]: expected a path'],
    [{ excludedCommands: [''] }, 'excludedCommands[0]: expected a command'],
    [{ excludedCommands: [':*'] }, 'excludedCommands[0]: expected a command'],
    [{ bwrapPath: 'bwrap' }, 'sandbox.bwrapPath: expected an absolute path'],
    [{ socatPath: '~/socat' }, 'sandbox.socatPath: expected an absolute path'],
  ] as const)
    for (const file of [user, project]) {
      await expect(load({ [user]: {}, [project]: {}, [file]: wrong })).rejects.toThrow(said);
      await expect(load({ [file]: wrong })).rejects.toThrow(`${join(top, file)}:1:`);
    }
});
