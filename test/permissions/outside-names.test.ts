import { describe, expect, test } from 'bun:test';
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { openPathRefusal } from '../../src/permissions/path-refusal.ts';
import { readFilter } from '../../src/permissions/read-filter.ts';
import type { PermissionMode } from '../../src/protocol/permission.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Case, judge, rule } from './cases.ts';

/** A workspace with second names of files outside it, each under the name of the kind that it is. */
function ground() {
  const top = resolveRealPath(temporaryDirectory().path);
  const [root, userHome] = [join(top, 'work'), join(top, 'user')];
  const home = join(userHome, '.cadre');
  const put = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x\n');
    return path;
  };
  put(join(root, 'd/plain.txt'));
  const link = (name: string, path: string) => linkSync(put(path), join(root, 'd', name));
  link('keys.txt', join(home, 'keys.json'));
  link('trust.txt', join(home, 'trust.json'));
  link('ssh.txt', join(userHome, '.ssh/id_rsa'));
  link('npm.txt', join(userHome, '.npmrc'));
  link('kube.txt', join(top, 'elsewhere/clusters'));
  link('private.txt', join(userHome, 'private/deep/f'));
  link('store.txt', join(top, 'store/lib.js'));
  const environment = { HOME: userHome, KUBECONFIG: join(top, 'elsewhere/clusters') };
  const workspace = {
    ...{ cwd: root, directories: [], home, userHome, realPath: resolveRealPath },
    look: lookAtFiles([root], undefined, environment),
  };
  const read = (name: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'read', path: join(root, 'd', name) }], workspace, ...more }).behaviour;
  const shell = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, ...more }).behaviour;
  return { root, workspace, read, shell };
}

describe('a second name in the workspace of a file outside', () => {
  const modes: PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions', 'plan'];
  for (const mode of modes)
    test(`Cadre's own keys and trust are closed by any name in mode ${mode}`, () => {
      const { read } = ground();
      for (const name of ['keys.txt', 'trust.txt']) expect(read(name, { mode })).toBe('deny');
    });

  test('credentials of the home are asked about by any name', () => {
    const { read } = ground();
    for (const name of ['ssh.txt', 'npm.txt', 'kube.txt']) expect(read(name)).toBe('ask');
  });

  test('a deny rule about a place outside holds for the name in the workspace', () => {
    const { read } = ground();
    for (const deny of ['Read(~/private/**)', 'Read(~/private/deep/f)', 'Read(~/private/*/f)'])
      expect(read('private.txt', { deny: [deny] })).toBe('deny');
    expect(read('private.txt', { deny: ['Read(~/other/**)'] })).toBe('allow');
  });

  test('a file of a package store is read as before', () => {
    const { read } = ground();
    for (const name of ['store.txt', 'plain.txt']) expect(read(name)).toBe('allow');
  });

  test('a search shows neither keys nor credentials', () => {
    const { root, workspace } = ground();
    const context = { ceiling: openCeiling, role: fullRole, mode: 'default' as const, rules: [], workspace };
    const shows = readFilter(context);
    const shown = (name: string) => shows(join(root, 'd', name));
    expect(['keys.txt', 'trust.txt', 'ssh.txt', 'npm.txt', 'kube.txt'].filter(shown)).toEqual([]);
    expect(['store.txt', 'plain.txt'].filter(shown)).toEqual(['store.txt', 'plain.txt']);
  });

  test('a command that names or searches it is not run without asking', () => {
    const { shell } = ground();
    const lines = [
      'cat d/ssh.txt',
      'cat d/keys.txt',
      'grep -r x d',
      'cat d/*',
      'cd d && rev npm.txt',
      'rg x',
    ];
    for (const line of lines)
      expect({ line, behaviour: shell(line) }).not.toEqual({ line, behaviour: 'allow' });
    expect(shell('cat d/plain.txt')).toBe('allow');
    expect(shell('grep -r x d', { deny: ['Read(~/private/**)'] })).toBe('deny');
  });

  test('what Cadre reads for a model by itself is refused as the file is', () => {
    const { root, workspace } = ground();
    const refuse = openPathRefusal([rule('Read(~/private/**)', 'deny')], 'read', workspace);
    expect(refuse(join(root, 'd/keys.txt'))?.reason).toContain('keys or trust');
    expect(refuse(join(root, 'd/private.txt'))?.reason).toContain('Read(~/private/**)');
    expect(refuse(join(root, 'd/plain.txt'))).toBeUndefined();
  });
});
