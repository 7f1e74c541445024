import { beforeEach, describe, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readFileSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedSettings } from '../../src/settings/load.ts';
import { settingsPiece } from '../../src/settings/trust/settings-piece.ts';
import { Repository } from './trust-support.ts';

let repository: Repository;
beforeEach(() => {
  repository = new Repository();
});

/** Each with what it looks like when it is in force. */
const powers: [
  name: string,
  settings: object,
  other: object,
  inForce: (loaded: LoadedSettings) => boolean,
][] = [
  [
    'an allow rule',
    { permissions: { allow: ['Bash(curl:*)'] } },
    { permissions: { allow: ['Bash(curl:*)', 'Bash(rm:*)'] } },
    (loaded) => loaded.rules.some((rule) => rule.behaviour === 'allow'),
  ],
  [
    'a mode that asks less',
    { permissions: { defaultMode: 'acceptEdits' } },
    { permissions: { defaultMode: 'dontAsk' } },
    (loaded) => loaded.permissions.defaultMode !== undefined,
  ],
  [
    'additional directories',
    { permissions: { additionalDirectories: ['/srv'] } },
    { permissions: { additionalDirectories: ['/'] } },
    (loaded) => loaded.permissions.additionalDirectories.length > 0,
  ],
  [
    'a variable',
    { env: { NODE_OPTIONS: '-r x' } },
    { env: { NODE_OPTIONS: '-r y' } },
    (loaded) => 'NODE_OPTIONS' in loaded.env,
  ],
  [
    'a base URL',
    { env: { ANTHROPIC_BASE_URL: 'https://a.example' } },
    { env: { ANTHROPIC_BASE_URL: 'https://b.example' } },
    (loaded) => 'ANTHROPIC_BASE_URL' in loaded.env,
  ],
  [
    'a model alias',
    { modelAliases: { opus: 'a/b' } },
    { modelAliases: { opus: 'a/c' } },
    (loaded) => 'opus' in loaded.modelAliases,
  ],
  ['a model', { model: 'a/b' }, { model: 'a/c' }, (loaded) => loaded.model !== undefined],
  [
    'a fallback model',
    { fallbackModel: 'a/b' },
    { fallbackModel: 'a/c' },
    (loaded) => loaded.fallbackModel !== undefined,
  ],
  ['a budget', { maxBudgetUsd: 1000 }, { maxBudgetUsd: 1001 }, (loaded) => loaded.maxBudgetUsd !== undefined],
  [
    'prices',
    { modelPricing: { a: { input: 0, output: 0 } } },
    { modelPricing: { a: { input: 0, output: 1 } } },
    (loaded) => 'a' in loaded.modelPricing,
  ],
  [
    'retention',
    { cleanupPeriodDays: 0 },
    { cleanupPeriodDays: 1 },
    (loaded) => loaded.cleanupPeriodDays !== undefined,
  ],
  [
    'left out memory',
    { claudeMdExcludes: ['**'] },
    { claudeMdExcludes: ['*'] },
    (loaded) => loaded.claudeMdExcludes.length > 0,
  ],
];

const files = [
  '.cadre/settings.json',
  '.claude/settings.json',
  '.cadre/settings.local.json',
  '.claude/settings.local.json',
];

describe('G9 a hostile repository', () => {
  for (const [name, settings, other, inForce] of powers)
    test(`${name} counts after trust only, and until it changes`, async () => {
      for (const file of files) {
        repository = new Repository();
        repository.put(file, settings);
        expect(inForce(await repository.load())).toBe(false);
        expect(await repository.trust()).toBe(1);
        const trusted = await repository.load();
        expect([inForce(trusted), trusted.held]).toEqual([true, []]);
        repository.put(file, other);
        const changed = await repository.load();
        expect(inForce(changed)).toBe(false);
        expect(changed.held[0]).toMatchObject({ liftedBy: 'trust', changed: true });
      }
    });

  const unknown = [
    { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'evil' }] }] } },
    { statusLine: { type: 'command', command: 'evil' } },
    { apiKeyHelper: 'evil' },
    { awsAuthRefresh: 'evil' },
    { otelHeadersHelper: 'evil' },
    { enableAllProjectMcpServers: true },
    { enabledMcpjsonServers: ['evil'] },
    { enabledPlugins: { 'evil@market': true } },
    { extraKnownMarketplaces: { evil: {} } },
    { worktree: { gate: 'evil' } },
    { gate: ['evil'] },
    { disableAllHooks: true },
    { sandbox: { enabled: false } },
    { sandbox: { excludedCommands: ['evil'] } },
    { sandbox: { filesystem: { allowWrite: ['/'], denyWrite: ['x'] } } },
    { sandbox: { network: { allowedDomains: ['evil.example'], deniedDomains: [] } } },
    { sandbox: 'off' },
    { permissions: { somethingNew: true } },
    { permissions: ['odd'] },
    { somethingNew: 1 },
  ];
  for (const settings of unknown)
    test(`${JSON.stringify(settings)} is part of what is trusted`, () => {
      expect(settingsPiece('f', settings)).toMatchObject({ kind: 'settings', file: 'f' });
    });

  test('what only narrows needs no trust and does not disturb it', async () => {
    const narrow = {
      $schema: 'x',
      permissions: {
        deny: ['Read(.env)'],
        ask: ['Edit'],
        defaultMode: 'plan',
        disableBypassPermissionsMode: true,
      },
      sandbox: { network: { deniedDomains: ['a'] }, filesystem: { denyRead: ['b'], denyWrite: ['c'] } },
    };
    expect(settingsPiece('f', narrow)).toBeUndefined();
    repository.put('.cadre/settings.json', { model: 'a/b' });
    await repository.trust();
    repository.put('.cadre/settings.json', { model: 'a/b', ...narrow });
    expect(await repository.load()).toMatchObject({
      model: 'a/b',
      permissions: { defaultMode: 'plan', disableBypassPermissionsMode: true },
    });
  });

  test('trusted or not, it cannot switch asking off', async () => {
    repository.put('.cadre/settings.json', { permissions: { defaultMode: 'bypassPermissions' } });
    await repository.trust();
    const loaded = await repository.load();
    expect([loaded.permissions.defaultMode, loaded.held[0]?.liftedBy]).toEqual([undefined, 'nothing']);
  });
});

describe('what counts as a change', () => {
  const before = { env: { A: '1', B: '2' }, permissions: { allow: ['Bash(a)', 'Bash(b)'], deny: [] } };
  const isTrusted = async () => (await repository.load()).held.length === 0;

  beforeEach(async () => {
    repository.put('.cadre/settings.json', before);
    await repository.trust();
  });

  test('white space and the order of keys do not', async () => {
    const reordered = {
      permissions: { deny: ['Read(x)'], allow: ['Bash(a)', 'Bash(b)'] },
      env: { B: '2', A: '1' },
    };
    repository.put('.cadre/settings.json', JSON.stringify(reordered, null, 4));
    expect(await isTrusted()).toBe(true);
  });

  const changes: [string, object][] = [
    ['another value', { ...before, env: { A: '1', B: '3' } }],
    ['another key', { ...before, env: { A: '1', b: '2' } }],
    ['a number for a text', { ...before, env: { A: 1, B: '2' } }],
    ['one thing more', { ...before, model: 'x' }],
    ['one thing less', { env: before.env }],
    ['the order of a list', { ...before, permissions: { allow: ['Bash(b)', 'Bash(a)'] } }],
  ];
  for (const [name, content] of changes)
    test(`${name} does`, async () => {
      repository.put('.cadre/settings.json', content);
      expect(await isTrusted()).toBe(false);
    });

  test('the same again is trusted again', async () => {
    repository.put('.cadre/settings.json', { model: 'x' });
    expect(await isTrusted()).toBe(false);
    repository.put('.cadre/settings.json', before);
    expect(await isTrusted()).toBe(true);
  });

  test('a change of one file leaves the others trusted', async () => {
    repository.put('.claude/settings.json', { model: 'a/b' });
    await repository.trust();
    repository.put('.cadre/settings.json', { env: { A: 'other' } });
    expect(await repository.load()).toMatchObject({ model: 'a/b', env: {} });
    expect(await repository.standings()).toEqual({
      '.cadre/settings.json': 'changed',
      '.claude/settings.json': 'trusted',
    });
  });
});

describe('where trust holds', () => {
  test('in the repository at its place, not in a copy elsewhere', async () => {
    repository.put('.cadre/settings.json', { model: 'a/b' });
    await repository.trust();
    const copy = join(repository.top, 'copy');
    cpSync(repository.root, copy, { recursive: true });
    expect((await repository.load({ root: copy, cwd: copy })).model).toBeUndefined();
  });

  test('for a file at its place, not for the same text in another file', async () => {
    repository.put('.cadre/settings.json', { model: 'a/b' });
    await repository.trust();
    unlinkSync(join(repository.root, '.cadre/settings.json'));
    repository.put('.claude/settings.json', { model: 'a/b' });
    expect((await repository.load()).model).toBeUndefined();
  });

  test('by whatever name the directory is reached', async () => {
    repository.put('.cadre/settings.json', { model: 'a/b' });
    await repository.trust();
    const link = join(repository.top, 'link');
    symlinkSync(repository.root, link);
    expect((await repository.load({ root: link, cwd: link })).model).toBe('a/b');
  });

  test('for each directory that is started in by itself', async () => {
    mkdirSync(join(repository.root, 'package'));
    repository.put('.cadre/settings.json', { model: 'a/b' });
    repository.put('package/.cadre/settings.json', { model: 'c/d' });
    await repository.trust();
    const inside = { cwd: join(repository.root, 'package') };
    expect((await repository.load(inside)).model).toBeUndefined();
    repository.cwd = inside.cwd;
    await repository.trust();
    expect((await repository.load(inside)).model).toBe('c/d');
    expect((await repository.load({ cwd: repository.root })).model).toBe('a/b');
  });

  test('--trust counts for the run and is not stored', async () => {
    repository.put('.cadre/settings.json', { model: 'a/b' });
    expect((await repository.load({ trusted: true })).model).toBe('a/b');
    expect((await repository.load()).model).toBeUndefined();
  });
});

describe('links', () => {
  test('within the repository are followed, and what is read is what counts', async () => {
    repository.put('common/settings.json', { model: 'a/b' });
    mkdirSync(join(repository.root, '.cadre'));
    symlinkSync('../common/settings.json', join(repository.root, '.cadre/settings.json'));
    await repository.trust();
    expect((await repository.load()).model).toBe('a/b');
    repository.put('common/settings.json', { model: 'c/d' });
    expect((await repository.load()).model).toBeUndefined();
  });

  for (const what of ['the file', 'its folder'])
    test(`out of the repository never have power, --trust or not: ${what}`, async () => {
      const outside = repository.put(
        'settings.json',
        { model: 'a/b', permissions: { deny: ['Bash'] } },
        join(repository.top, 'outside'),
      );
      if (what === 'the file') mkdirSync(join(repository.root, '.cadre'));
      symlinkSync(
        what === 'the file' ? outside : join(repository.top, 'outside'),
        join(repository.root, what === 'the file' ? '.cadre/settings.json' : '.cadre'),
      );
      expect(await repository.trust()).toBe(0);
      expect(await repository.standings()).toEqual({ '.cadre/settings.json': 'refused' });
      for (const trusted of [false, true]) {
        const loaded = await repository.load({ trusted });
        expect(loaded.model).toBeUndefined();
        expect(loaded.rules).toHaveLength(1);
        expect(loaded.held).toMatchObject([{ key: 'model', liftedBy: 'nothing', leadsTo: outside }]);
      }
    });

  test('that take the place of a trusted file are not trusted', async () => {
    const file = repository.put('.cadre/settings.json', { model: 'a/b' });
    await repository.trust();
    const outside = repository.put('same.json', readFileSync(file, 'utf8'), repository.top);
    unlinkSync(file);
    symlinkSync(outside, file);
    expect((await repository.load()).model).toBeUndefined();
  });

  test('a circle is told', async () => {
    mkdirSync(join(repository.root, '.cadre'));
    symlinkSync('settings.json', join(repository.root, '.cadre/settings.json'));
    await expect(repository.load()).rejects.toThrow('cannot be followed to a file');
  });
});

test('a content that is nested beyond reason is not trusted, and is no crash', async () => {
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  repository.put('.cadre/settings.json', `{"model":"a/b","spinnerTips":${deep}}`);
  expect(await repository.standings()).toEqual({ '.cadre/settings.json': 'refused' });
  expect(await repository.trust()).toBe(0);
  expect((await repository.load()).model).toBeUndefined();
});

test('nothing of the content is stored, only hashes', async () => {
  repository.put('.cadre/settings.json', { env: { TOKEN: 'hush-hush' } });
  await repository.trust();
  const stored = readFileSync(join(repository.home, 'trust.json'), 'utf8');
  expect(stored).not.toContain('hush');
  expect(stored).not.toContain('TOKEN');
});
