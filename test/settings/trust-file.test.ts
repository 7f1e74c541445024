import { beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { revokeTrust } from '../../src/settings/trust/describe.ts';
import { readTrustFile } from '../../src/settings/trust/file.ts';
import { runUnprivileged } from '../support/index.ts';
import { Repository } from './trust-support.ts';

let repository: Repository;
let path: string;
beforeEach(() => {
  repository = new Repository();
  path = join(repository.home, 'trust.json');
  repository.put('.cadre/settings.json', { model: 'a/b' });
});

const model = async () => (await repository.load()).model;

function store(text: string | Uint8Array, mode = 0o600): void {
  mkdirSync(repository.home, { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

test('is for its owner alone, versioned, and leaves nothing beside it', async () => {
  await repository.trust();
  expect(statSync(path).mode & 0o7777).toBe(0o600);
  expect(statSync(repository.home).mode & 0o7777).toBe(0o700);
  expect(readdirSync(repository.home)).toEqual(['trust.json']);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    format: 1,
    repositories: {
      [repository.root]: {
        pieces: [
          {
            kind: 'settings',
            file: '.cadre/settings.json',
            hash: expect.stringMatching(/^[0-9a-f]{64}$/),
            entries: [expect.stringMatching(/^[0-9a-f]{16}$/)],
            trustedAt: '2031-02-03T00:00:00.000Z',
          },
        ],
      },
    },
  });
});

test('is not read, nor made, where nothing of a repository asks for trust', async () => {
  mkdirSync(repository.home);
  symlinkSync('trust.json', path);
  repository.put('.cadre/settings.json', { permissions: { deny: ['Bash'] } });
  const loaded = await repository.load();
  expect([loaded.rules.length, loaded.held]).toEqual([1, []]);
});

describe('damage', () => {
  const damages: [string, string | Uint8Array, number?][] = [
    ['an empty file', ''],
    ['half a file', '{"format":1,"repositories":{"/x":{"pie'],
    ['no object', '[]'],
    ['no repositories', '{"format":1}'],
    ['no version', '{"repositories":{}}'],
    ['bytes', new Uint8Array([0, 255, 254, 1])],
    ['a file that others can write', '{"format":1,"repositories":{}}', 0o666],
    ['a file that the group can write', '{"format":1,"repositories":{}}', 0o620],
  ];
  for (const [name, text, mode] of damages)
    test(`${name}: nothing is trusted, it is said, and trust makes a new file beside the old`, async () => {
      store(text, mode);
      expect(await model()).toBeUndefined();
      expect((await repository.load()).trustProblem).toContain(path);
      expect((await repository.describe()).damage?.hint).toContain('cadre trust');
      await repository.trust();
      expect(await model()).toBe('a/b');
      const kept = readdirSync(repository.home).find((file) => file.startsWith('trust.json.damaged-')) ?? '';
      expect(readFileSync(join(repository.home, kept))).toEqual(Buffer.from(text));
    });

  test('a trusted file that others can write by now trusts nothing', async () => {
    await repository.trust();
    chmodSync(path, 0o622);
    expect(await model()).toBeUndefined();
  });

  test('a newer format trusts nothing and is left alone', async () => {
    store('{"format":2,"repositories":{}}');
    expect(await model()).toBeUndefined();
    await expect(repository.trust()).rejects.toThrow('has format 2; this version supports 1');
    expect(readFileSync(path, 'utf8')).toBe('{"format":2,"repositories":{}}');
  });

  test('entries that make no sense are passed over, the others count', async () => {
    await repository.trust();
    const { repositories } = JSON.parse(readFileSync(path, 'utf8'));
    const [good] = repositories[repository.root].pieces;
    const bad = [
      null,
      3,
      {},
      { ...good, hash: '' },
      { ...good, hash: 3 },
      { ...good, entries: 'x' },
      { ...good, name: 3 },
    ];
    repositories[repository.root].pieces = [...bad, good];
    store(
      JSON.stringify({
        format: 1,
        repositories: { ...repositories, '/a': 3, '/b': { pieces: {} } },
        more: 1,
      }),
    );
    expect(await model()).toBe('a/b');
    expect([...readTrustFile(repository.home).repositories.keys()]).toEqual([repository.root]);
  });

  test('a directory in its place is a problem that names it', async () => {
    mkdirSync(path, { recursive: true });
    expect(await model()).toBeUndefined();
    expect((await repository.load()).trustProblem).toContain(path);
  });

  test('a file that may not be read trusts nothing and is not replaced', async () => {
    const code = `
      import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
      import { systemClock } from '${join(import.meta.dir, '../../src/lib/clock.ts')}';
      import { describeTrust, grantTrust } from '${join(import.meta.dir, '../../src/settings/trust/describe.ts')}';
      export default async (_: unknown[], top: string) => {
        for (const name of ['/home', '/user', '/repository/.cadre']) mkdirSync(top + name, { recursive: true });
        writeFileSync(top + '/repository/.cadre/settings.json', '{"model":"a/b"}');
        writeFileSync(top + '/home/trust.json', '');
        chmodSync(top + '/home/trust.json', 0);
        const root = top + '/repository';
        const place = { home: top + '/home', userHome: top + '/user', cwd: root, root };
        const described = await describeTrust(place);
        return described.ok ? [described.value.damage, await grantTrust(described.value, place, systemClock)] : described;
      };`;
    const [damage, granted] = await runUnprivileged<[{ message: string }, { ok: boolean }]>({ code });
    expect(damage.message).toContain('home/trust.json: permission denied');
    expect(granted.ok).toBe(false);
  });
});

describe('several at once', () => {
  test('of many processes that trust at the same moment none is lost', async () => {
    const count = 8;
    const roots = Array.from({ length: count }, (_, index) => {
      const root = join(repository.top, `r${index}`);
      repository.put('.cadre/settings.json', { model: `m/${index}` }, root);
      return root;
    });
    const script = repository.put('grant.ts', scriptText, repository.top);
    const children = roots.map((root) =>
      Bun.spawn([process.execPath, script, repository.home, repository.userHome, root], { stderr: 'pipe' }),
    );
    expect(await Promise.all(children.map((child) => child.exited))).toEqual(roots.map(() => 0));
    expect([...readTrustFile(repository.home).repositories.keys()].sort()).toEqual(roots);
    expect(readdirSync(repository.home)).toEqual(['trust.json']);
  });

  test('a lock whose process is gone is no obstacle', async () => {
    mkdirSync(repository.home, { recursive: true });
    writeFileSync(`${path}.lock`, '{"pid":999999999,"start":"1"}');
    await repository.trust();
    expect(await model()).toBe('a/b');
  });

  const scriptText = `
    import { systemClock } from '${join(import.meta.dir, '../../src/lib/clock.ts')}';
    import { describeTrust, grantTrust } from '${join(import.meta.dir, '../../src/settings/trust/describe.ts')}';
    const [home = '', userHome = '', root = ''] = process.argv.slice(2);
    const place = { home, userHome, cwd: root, root };
    const described = await describeTrust(place);
    const granted = described.ok ? await grantTrust(described.value, place, systemClock) : described;
    if (!granted.ok) { console.error(granted.problem.message); process.exit(1); }
  `;
});

test('revoking forgets one repository, also by the name of one that is gone', async () => {
  await repository.trust();
  const other = new Repository();
  other.put('.cadre/settings.json', { model: 'c/d' });
  const place = { ...repository.place(), root: other.root, cwd: other.root };
  Object.assign(other, { home: repository.home });
  await other.trust();
  expect(await revokeTrust(repository.root, place, repository.clock)).toEqual({ ok: true, value: 1 });
  expect([await model(), (await other.load()).model]).toEqual([undefined, 'c/d']);
  expect(await revokeTrust('/nowhere/at/all', place, repository.clock)).toEqual({ ok: true, value: 0 });
});
