import { describe, expect } from 'bun:test';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Rule } from '../../../src/protocol/permission.ts';
import { describeProtection } from '../../../src/sandbox/describe.ts';
import type { SandboxSettings } from '../../../src/settings/loaded.ts';
import { noSettings } from '../../../src/settings/merge.ts';
import { needs, temporaryDirectory } from '../../support/index.ts';
import { git, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');
const source = '/repository/.cadre/settings.json';

function deny(tool: 'Read' | 'Edit', path: string): Rule {
  return { behaviour: 'deny', tool, specifier: `/${path}`, layer: 'project', source, base: '/repository' };
}

function withFiles(filesystem: Partial<SandboxSettings['filesystem']>): Partial<SandboxSettings> {
  const { denyRead = [], denyWrite = [] } = filesystem;
  const named = (key: 'denyRead' | 'denyWrite', rules: Rule[]) =>
    rules.map((rule) => ({ ...rule, setting: `sandbox.filesystem.${key}` }));
  const closed = { denyRead: named('denyRead', denyRead), denyWrite: named('denyWrite', denyWrite) };
  return { filesystem: { ...noSettings().sandbox.filesystem, ...filesystem, ...closed } };
}

function refusalOf(at: Room, command: string, rules: Rule[] = []): Promise<string> {
  return run(at, command, { scope: { rules } }).then(
    ({ text }) => `it ran: ${text}`,
    (error: Error) => error.message,
  );
}

describe('a restriction never switches the sandbox off', () => {
  for (const path of ['/', '/usr', '/bin', '/usr/lib', '/usr/bin/bash', '/proc', '/dev'])
    test(`denyRead of ${path}: commands are refused, and told by which file`, async () => {
      const at = room(withFiles({ denyRead: [deny('Read', path)] }));
      expect(await at.sandbox.ready()).toBeDefined();
      const refusal = await refusalOf(at, 'touch ran');
      expect(refusal).toContain(`sandbox.filesystem.denyRead in ${source} hides`);
      expect(at.notices).toEqual([]);
    });

  test('the same by a rule of permissions, which is named', async () => {
    const at = room();
    const rules = [{ ...deny('Read', '/usr/**'), layer: 'project' as const }];
    expect(await refusalOf(at, 'true', rules)).toContain('the deny rule Read(//usr/**)');
  });

  test('more paths than bwrap takes', async () => {
    const { path: many } = temporaryDirectory();
    const denyRead = Array.from({ length: 3000 }, (_, index) => {
      const file = join(many, `f${index}`);
      writeFileSync(file, '');
      return deny('Read', file);
    });
    const at = room(withFiles({ denyRead }));
    expect(await at.sandbox.ready()).toBeDefined();
    const refusal = await refusalOf(at, 'true');
    expect(refusal).toContain('at most 1000 single paths, not 3000');
    expect(refusal).toContain(source);
    const fewer = room(withFiles({ denyRead: denyRead.slice(0, 100) }));
    expect((await run(fewer, `cat ${join(many, 'f99')}`)).code).not.toBe(0);
  });

  test('a host to deny that is not one', async () => {
    const network = { ...noSettings().sandbox.network, allowedDomains: ['example.com'] };
    const at = room({ network: { ...network, deniedDomains: ['https://example.com/x'] } });
    expect(await at.sandbox.ready()).toBeDefined();
    expect(await refusalOf(at, 'true')).toContain('"https://example.com/x" is not a host');
  });

  test('a library that programs are loaded with: the note says who hides it, and offers no way out', async () => {
    const at = room(withFiles({ denyRead: [deny('Read', '/lib/x86_64-linux-gnu/libtinfo.so.6')] }));
    expect(await at.sandbox.ready()).toBeDefined();
    const { code, notes } = await run(at, 'true');
    expect(code).not.toBe(0);
    expect(notes.join()).toContain(source);
    expect(notes.join()).not.toContain('dangerouslyDisableSandbox');
  });

  test('what does not exist inside anyway closes nothing and refuses nothing', async () => {
    const denyRead = ['/proc/self/environ', '/dev/sda', '/nowhere'].map((path) => deny('Read', path));
    const at = room(withFiles({ denyRead }));
    expect(await at.sandbox.ready()).toBeDefined();
    expect(await run(at, 'echo ran')).toMatchObject({ code: 0, text: 'ran\n' });
  });

  test('cadre doctor says it', async () => {
    const { home, userHome } = room();
    const settings = { ...noSettings().sandbox, ...withFiles({ denyRead: [deny('Read', '/usr')] }) };
    const { works, text } = await describeProtection(
      { settings, platform: 'linux', arch: process.arch, directory: join(home, 'self-test') },
      { settings, home, userHome, environment: {}, isRoot: process.getuid?.() === 0 },
    );
    expect(works).toBe(false);
    expect(text).toContain('Every shell command is refused.');
    expect(text).toContain(source);
  });
});

describe('a path that is not to be written is not shown by that', () => {
  for (const top of ['/tmp', '/dev/shm'])
    test(`${top} of the machine`, async () => {
      const outside = mkdtempSync(join(top, 'cadre-outside-'));
      try {
        for (const denied of [top, outside]) {
          const at = room(withFiles({ denyWrite: [deny('Edit', denied)] }));
          expect((await run(at, `ls ${outside}`)).code).not.toBe(0);
        }
      } finally {
        rmSync(outside, { recursive: true });
      }
    });

  test('and one of the workspace is read-only', async () => {
    const at = room();
    put(at, { 'dist/a': 'old' });
    const rules = [deny('Edit', join(at.cwd, 'dist'))];
    const { code } = await run(at, 'echo new > dist/a', { scope: { rules } });
    expect(code).not.toBe(0);
  });
});

describe('a restriction that covers the workspace', () => {
  /** A workspace in the home, with a file in it. */
  function homeRoom(settings: Partial<SandboxSettings> = {}, userHome?: string): Room {
    const at = room(settings);
    const cwd = join(userHome ?? at.userHome, 'p/w');
    const all = { ...at, cwd };
    put(all, { 'old.txt': 'old', 'sub/old.txt': 'old' });
    return all;
  }
  const rule = (specifier: string | undefined, tool: 'Read' | 'Edit', base = '/'): Rule => ({
    ...{ behaviour: 'deny', tool, layer: 'project', source, base },
    ...(specifier === undefined ? {} : { specifier }),
  });
  const writeAll =
    'for f in old.txt new.txt sub/old.txt sub/new.txt; do echo x > $f; done; mkdir d; touch $TMPDIR/t';
  function expectUnwritten({ cwd }: Room): void {
    expect(readFileSync(join(cwd, 'old.txt'), 'utf8')).toBe('old');
    expect(readFileSync(join(cwd, 'sub/old.txt'), 'utf8')).toBe('old');
    for (const name of ['new.txt', 'sub/new.txt', 'd']) expect(existsSync(join(cwd, name))).toBe(false);
  }

  const everything = [
    '~',
    '~/**',
    '~/p',
    '~/p/**',
    '~/p/',
    '~/p/w',
    '~/p/w/**',
    '~/p/w/*',
    '~/*/w/**',
    '~/p/w*',
  ];
  for (const specifier of [
    ...everything,
    '//',
    '//**',
    '//**/**',
    '**',
    '*',
    '**/*',
    './**',
    './',
    '/**',
    undefined,
  ])
    test(`Edit(${specifier}): nothing is written, new or old`, async () => {
      const at = homeRoom();
      const { code } = await run(at, `${writeAll}; cat old.txt`, {
        scope: { rules: [rule(specifier, 'Edit')] },
      });
      expectUnwritten(at);
      expect(code).toBe(0);
    });

  test('denyWrite of a directory above, with a directory below that may be written', async () => {
    const { path } = temporaryDirectory();
    const inner = join(path, 'p/w/build');
    mkdirSync(inner, { recursive: true });
    const at = homeRoom(withFiles({ denyWrite: [deny('Edit', join(path, 'p'))], allowWrite: [inner] }), path);
    await run(at, `${writeAll}; touch build/new`);
    expectUnwritten(at);
    expect(existsSync(join(inner, 'new'))).toBe(false);
  });

  test('denyWrite of the main checkout, for a worktree elsewhere', async () => {
    const at = room();
    const main = makeMainCheckout(at.cwd);
    const rules = [deny('Edit', main)];
    const { code } = await run(at, `touch here; touch ${main}/.git/new`, { scope: { rules } });
    expect(code).not.toBe(0);
    expect([existsSync(join(at.cwd, 'here')), existsSync(join(main, '.git/new'))]).toEqual([true, false]);
    const hidden = await run(at, `cat ${main}/.git/HEAD`, { scope: { rules: [deny('Read', main)] } });
    expect(hidden.code).not.toBe(0);
  });

  test('denyWrite of a path in the repository of a worktree, which is outside the workspace', async () => {
    const at = room();
    const main = makeMainCheckout(at.cwd);
    const rules = [deny('Edit', join(main, '.git/refs/tags'))];
    const { text } = await run(at, 'git tag one; git branch two; git for-each-ref', { scope: { rules } });
    const names = readdirSync(join(main, '.git/refs/tags'));
    expect([names, text.includes('refs/heads/two')]).toEqual([[], true]);
  });

  for (const specifier of ['~', '~/p', '~/p/**', '~/p/w', '~/p/w/**', '**', './**'])
    test(`Read(${specifier}): commands are refused, and told by which rule`, async () => {
      const at = homeRoom();
      const refusal = await refusalOf(at, 'touch ran; cat old.txt', [rule(specifier, 'Read')]);
      expect(refusal).toContain(`the deny rule Read(${specifier})`);
      expect(existsSync(join(at.cwd, 'ran'))).toBe(false);
    });

  test('Read as a whole', async () => {
    expect(await refusalOf(homeRoom(), 'true', [rule(undefined, 'Read')])).toContain('the deny rule Read ');
  });

  test('denyRead of a directory above is named, and allowRead of the workspace makes it work', async () => {
    const { path } = temporaryDirectory();
    const denyRead = [deny('Read', join(path, 'p'))];
    const at = homeRoom(withFiles({ denyRead }), path);
    expect(await refusalOf(at, 'true')).toContain(`sandbox.filesystem.denyRead in ${source} hides`);
    writeFileSync(join(path, 'p/beside'), 'secret');
    const open = homeRoom(withFiles({ denyRead, allowRead: [at.cwd] }), path);
    const { text } = await run(open, 'cat old.txt ../beside; touch new');
    expect([text.includes('old'), text.includes('secret')]).toEqual([true, false]);
    expect(existsSync(join(open.cwd, 'new'))).toBe(true);
  });

  test('a rule about some names closes those alone', async () => {
    const at = homeRoom();
    await run(at, writeAll, { scope: { rules: [rule('old.*', 'Edit'), rule('[a-m]*.lock', 'Edit')] } });
    expect(readFileSync(join(at.cwd, 'old.txt'), 'utf8')).toBe('old');
    expect(existsSync(join(at.cwd, 'new.txt'))).toBe(true);
  });
});

/** A repository beside a worktree of it. */
function makeMainCheckout(worktree: string): string {
  const main = join(dirname(worktree), 'main');
  mkdirSync(main);
  git(main, 'init', '-q');
  git(main, 'commit', '-q', '--allow-empty', '-m', 'x');
  git(main, 'worktree', 'add', '-q', worktree);
  return main;
}
