import { describe, expect, test } from 'bun:test';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exploreRole } from '../../src/permissions/roles.ts';
import { openRunsLater } from '../../src/places/find-runs-later.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';

/** `h2` is git's configuration, `h3` a file outside, `hard` the file `.env`, `own` and `twin` one file of the workspace. */
function ground() {
  const top = resolveRealPath(temporaryDirectory().path);
  const root = join(top, 'work');
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x\n');
    return path;
  };
  for (const name of [
    '.git/config',
    '.env',
    'a.txt',
    'own',
    'src/a.ts',
    'secrets/key',
    '.aws/credentials',
    'conf/.env',
  ])
    put(join(root, name));
  put(join(root, 'lay/h3'));
  mkdirSync(join(root, 'moved'));
  mkdirSync(join(root, 'node_modules/lib'), { recursive: true });
  linkSync(join(root, '.git/config'), join(root, 'h2'));
  linkSync(put(join(top, 'out/secret.txt')), join(root, 'h3'));
  linkSync(join(root, '.env'), join(root, 'hard'));
  linkSync(join(root, 'own'), join(root, 'twin'));
  linkSync(join(root, 'secrets/key'), join(root, 'src/plain'));
  linkSync(join(root, 'own'), join(root, 'moved/own'));
  linkSync(put(join(top, 'store/lib.js')), join(root, 'node_modules/lib/index.js'));
  const workspace = {
    ...{ cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) },
    runsLater: openRunsLater({ userHome: top, environment: {} }),
  };
  const judgeOne = (accesses: Case['accesses'], more: Partial<Case>) =>
    judge({ accesses, workspace, ...more }).behaviour;
  return {
    shell: (command: string, more: Partial<Case> = {}) =>
      judgeOne([{ kind: 'shell', command, cwd: root }], { mode: 'acceptEdits', ...more }),
    read: (name: string, more: Partial<Case> = {}) =>
      judgeOne([{ kind: 'read', path: join(root, name) }], more),
    write: (name: string, more: Partial<Case> = {}) =>
      judgeOne([{ kind: 'write', path: join(root, name) }], { mode: 'acceptEdits', ...more }),
  };
}

describe('a file with several names', () => {
  const asked = [
    ...['echo x >> h2', 'echo x > h2', 'tee h2 < a.txt', 'sed -i s/a/b/ h2', 'cp a.txt h2', 'touch h2'],
    ...['echo x >> h3', 'touch h*', 'cp a.txt src/plain', 'cd src && echo x >> ../h3', 'cp -r lay/. .'],
    ...['mv h2 x && echo y >> x', 'mv moved m && echo y >> m/own', 'echo x 2> twin'],
  ];
  test.each(asked)('%s is asked about in acceptEdits', (command) => {
    expect(ground().shell(command)).toBe('ask');
  });

  test('a grant to the command does not answer it, a mode that skips questions does', () => {
    const at = ground();
    expect(at.shell('tee h2 < a.txt', { allow: ['Bash(tee:*)'] })).toBe('ask');
    expect(at.shell('touch h*', { allow: ['Bash(touch:*)'] })).toBe('ask');
    expect(at.shell('touch src/*.ts', { allow: ['Bash(touch:*)'] })).toBe('allow');
    expect(at.shell('tee h2 < a.txt', { mode: 'bypassPermissions' })).toBe('allow');
  });

  test('what does not write it is free', () => {
    const at = ground();
    for (const command of ['rm h3', 'cat h3', 'cp h3 copy', 'echo x >> a.txt', 'touch new', 'mkdir d'])
      expect([command, at.shell(command)]).toEqual([command, 'allow']);
  });

  test('Write and Edit ask as well, by whatever rule', () => {
    const at = ground();
    for (const name of ['h2', 'h3', 'twin']) expect([name, at.write(name)]).toEqual([name, 'ask']);
    expect(at.write('twin', { allow: ['Edit'] })).toBe('ask');
    expect(at.write('twin', { mode: 'bypassPermissions' })).toBe('allow');
    expect(at.write('a.txt')).toBe('allow');
  });

  test('a rule about one name is about all of them', () => {
    const at = ground();
    const deny = ['Read(.env)', 'Read(secrets/**)'];
    for (const name of ['hard', 'src/plain']) {
      expect([name, at.read(name, { deny })]).toEqual([name, 'deny']);
      expect([name, at.shell(`cat ${name}`, { deny })]).toEqual([name, 'deny']);
    }
    expect(at.shell('cat har*', { deny })).toBe('deny');
    expect(at.shell("grep -r --include='pl*' x .", { deny: ['Read(secrets/key)'] })).not.toBe('allow');
    expect(at.write('twin', { deny: ['Edit(own)'] })).toBe('deny');
    expect(at.shell('cat a.txt', { deny })).toBe('allow');
    expect(at.read('node_modules/lib/index.js', { deny })).toBe('allow');
  });

  test('a credential file is one under each of its names', () => {
    const at = ground();
    expect(at.read('hard')).toBe('ask');
    expect(at.shell('cat hard')).toBe('ask');
    for (const command of [
      'cat hard',
      'cat h*',
      'grep -r x .',
      "grep -r --include='ha*' x .",
      'cat *',
      'cat $(ls)',
      'head -1 hard',
    ])
      expect([command, at.shell(command, { role: exploreRole, mode: 'default' })]).toEqual([command, 'deny']);
    expect(at.read('hard', { role: exploreRole })).toBe('deny');
    expect(at.read('node_modules/lib/index.js', { role: exploreRole })).toBe('allow');
  });
});

describe('what may not be read keeps its name', () => {
  const lines = [
    ...[
      'mv .env e.txt',
      'mv conf/.env e.txt',
      'mv conf/.env e.txt && cat e.txt',
      'mv .aws/credentials c',
      'mv conf/.env src',
      'mv .env e.txt && cat e.txt',
      'cp .env e.txt',
      'mv .env src',
      'mv .aws aws',
      'cp -r .aws aws',
    ],
    ...['mv hard e.txt', 'cp hard e.txt', 'cd src && mv ../.env e', 'mv ./.e* src/'],
  ];
  test.each(lines)('%s', (command) => {
    expect(ground().shell(command)).not.toBe('allow');
  });

  test('by a rule as well', () => {
    const at = ground();
    for (const command of ['mv secrets/key k', 'mv secrets s', 'cp secrets/key k', 'mv src/plain k'])
      expect([command, at.shell(command, { deny: ['Read(secrets/**)'] })]).toEqual([command, 'deny']);
    expect(at.shell('mv a.txt b.txt', { deny: ['Read(secrets/**)'] })).toBe('allow');
    expect(at.shell('cp a.txt b.txt', { deny: ['Read(secrets/**)'] })).toBe('allow');
  });
});
