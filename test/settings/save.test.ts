import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { PermissionUpdate, Rule, SettingsDestination } from '../../src/protocol/permission.ts';
import { rewriteJson } from '../../src/settings/json-edit.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { type SavePlace, savePermissions } from '../../src/settings/save-permissions.ts';
import { runUnprivileged, temporaryDirectory } from '../support/index.ts';

const rule = (specifier: string, tool = 'Bash'): Rule => ({
  behaviour: 'allow',
  tool,
  specifier,
  layer: 'session',
  source: 'your answer',
  base: '/',
});

const add = (...specifiers: string[]): PermissionUpdate => ({
  type: 'add_rules',
  rules: specifiers.map((one) => rule(one)),
  destination: 'local',
});

function places(): SavePlace {
  const { path } = temporaryDirectory();
  const repository = join(path, 'repo');
  const userHome = join(path, 'user');
  const all = { home: join(userHome, '.cadre'), userHome, cwd: join(repository, 'sub'), root: repository };
  for (const directory of [all.home, all.cwd]) mkdirSync(directory, { recursive: true });
  return { ...all, mainRoot: repository };
}

const save = (update: PermissionUpdate, destination: SettingsDestination, at: SavePlace) =>
  savePermissions(update, destination, at, manualClock(Date.UTC(2031, 1, 3)));
const localFile = (at: SavePlace) => join(at.mainRoot, '.cadre', 'settings.local.json');

function withFile(text: string) {
  const at = places();
  const file = localFile(at);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { at, file, read: () => readFileSync(file, 'utf8') };
}

test('a rule goes to the local settings at the root of the main checkout, in a private file', async () => {
  const at = places();
  const saved = await save(add('npm test'), 'local', at);
  const file = join(at.mainRoot, '.cadre', 'settings.local.json');
  expect(saved).toEqual({ ok: true, value: { file, inForce: true } });
  expect(readFileSync(file, 'utf8')).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('everything else in the file stays byte for byte', async () => {
  const text =
    '{\n\t"hooks":   {"Stop": [ ]},  \n\t"permissions": {\n\t\t"deny" : ["Read(.env)"],\n\t\t"allow": [\n\t\t\t"Read"\n\t\t]\n\t},\n\t"mine": 1.0e3 }\n\n';
  const { at, read } = withFile(text);
  expect((await save(add('npm test', 'make'), 'local', at)).ok).toBe(true);
  expect(read()).toBe(
    text.replace('\t\t\t"Read"\n', '\t\t\t"Read",\n\t\t\t"Bash(npm test)",\n\t\t\t"Bash(make)"\n'),
  );
});

test('a list on one line stays on one line', async () => {
  const { at, read } = withFile('{"permissions": {"allow": ["Read"]}, "model": "x"}');
  await save(add('make'), 'local', at);
  expect(read()).toBe('{"permissions": {"allow": ["Read","Bash(make)"]}, "model": "x"}');
});

test('a rule that is there is not written twice, and the file is left alone', async () => {
  const { at, file, read } = withFile('{ "permissions": { "allow": [ "Bash(make)" ] } }');
  const before = statSync(file).mtimeMs;
  expect((await save(add('make'), 'local', at)).ok).toBe(true);
  expect(read()).toBe('{ "permissions": { "allow": [ "Bash(make)" ] } }');
  expect(statSync(file).mtimeMs).toBe(before);
});

test('rules, directories and the mode can be taken back and set', async () => {
  const { at, read } = withFile('{"permissions": {"allow": ["Bash(a)", "Bash(b)"]}}');
  const put = async (update: PermissionUpdate) => expect((await save(update, 'local', at)).ok).toBe(true);
  await put({ type: 'remove_rules', rules: [rule('a')], destination: 'local' });
  await put({ type: 'set_mode', mode: 'acceptEdits', destination: 'local' });
  await put({ type: 'add_directories', directories: ['/x'], destination: 'local' });
  expect(JSON.parse(read())).toEqual({
    permissions: { allow: ['Bash(b)'], defaultMode: 'acceptEdits', additionalDirectories: ['/x'] },
  });
  await put({ type: 'replace_rules', behaviour: 'allow', rules: [rule('c')], destination: 'local' });
  expect(JSON.parse(read()).permissions.allow).toEqual(['Bash(c)']);
});

test.each(['{ not json', '[]', '{"permissions": []}', '{"permissions": {"allow": "Read"}}'])(
  'a file that is not ours to understand is left as it is: %s',
  async (text) => {
    const { at, read } = withFile(text);
    expect(await save(add('make'), 'local', at)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('settings.local.json') },
    });
    expect(read()).toBe(text);
  },
);

test('a link in a repository is not followed, neither as file nor as folder', async () => {
  const { at, file } = withFile('{}');
  const target = join(at.home, 'victim.json');
  writeFileSync(target, '{}');
  const other = places();
  symlinkSync(at.home, join(other.mainRoot, '.cadre'));
  expect((await save(add('make'), 'local', other)).ok).toBe(false);
  expect(readdirSync(at.home)).toEqual(['victim.json']);
  const third = places();
  mkdirSync(join(third.mainRoot, '.cadre'));
  symlinkSync(target, localFile(third));
  expect((await save(add('make'), 'local', third)).ok).toBe(false);
  expect(readFileSync(target, 'utf8')).toBe('{}');
  expect(existsSync(file)).toBe(true);
});

test('the user’s own file may be a link, which stays', async () => {
  const at = places();
  const target = join(at.mainRoot, 'dotfiles.json');
  writeFileSync(target, '{}');
  symlinkSync(target, join(at.home, 'settings.json'));
  expect((await save(add('make'), 'user', at)).ok).toBe(true);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ permissions: { allow: ['Bash(make)'] } });
});

test('an existing file keeps its mode', async () => {
  const { at, file } = withFile('{}');
  chmodSync(file, 0o644);
  await save(add('make'), 'local', at);
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test('a rule that would be read as another one is not written', async () => {
  const at = places();
  expect((await save(add(' make '), 'local', at)).ok).toBe(false);
  expect(existsSync(localFile(at))).toBe(false);
});

test('a file that cannot be written is a problem that names it', async () => {
  const found = await runUnprivileged<{ ok: boolean; problem?: { message: string } }>({
    code: `import { savePermissions } from '${join(import.meta.dirname, '../../src/settings/save-permissions.ts')}';
      import { systemClock } from '${join(import.meta.dirname, '../../src/lib/clock.ts')}';
      import { chmodSync, mkdirSync } from 'node:fs';
      export default (args, directory) => {
        mkdirSync(directory + '/.cadre');
        chmodSync(directory + '/.cadre', 0o500);
        const rule = { behaviour: 'allow', tool: 'Bash', specifier: 'make', layer: 'session', source: '', base: '/' };
        const home = directory + '/home';
        const places = { home, userHome: home, cwd: directory, root: directory, mainRoot: directory };
        return savePermissions({ type: 'add_rules', rules: [rule], destination: 'local' }, 'local', places, systemClock);
      };`,
  });
  expect(found).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('settings.local.json') },
  });
});

test.each([
  ['an empty object', '{}', '{"a": {"b":1}}'],
  ['another key', '{"x": 1}', '{"x": 1,"a": {"b":1}}'],
  ['a value of another kind', '{"a": 5}', '{"a": {"b":1}}'],
  ['braces in strings', '{"a": {"c": "}\\"{"}}', '{"a": {"c": "}\\"{","b": 1}}'],
  [
    'a key that is there twice: all is written again',
    '{"a": {"b": 0}, "a": {"b": 2}}',
    '{\n  "a": {\n    "b": 1\n  }\n}\n',
  ],
])('one value is set beside %s', (_, text, expected) => {
  const before = JSON.parse(text);
  const after = { ...before, a: { ...(typeof before.a === 'object' ? before.a : {}), b: 1 } };
  expect(rewriteJson(text, before, after)).toBe(expected);
});

test('what is saved from a work tree goes to the main checkout, and counts in both', async () => {
  const at = places();
  const tree = join(at.userHome, 'tree');
  mkdirSync(tree);
  expect(await save(add('make'), 'local', { ...at, cwd: tree, root: tree })).toEqual({
    ok: true,
    value: { file: localFile(at), inForce: true },
  });
  for (const root of [tree, at.mainRoot]) {
    const loaded = await loadSettings({
      ...{ ...at, cwd: root, root, trusted: false, managedDirectories: [] },
      sources: ['user', 'project', 'local'],
    });
    expect(loaded.ok && loaded.value.rules).toMatchObject([
      { tool: 'Bash', specifier: 'make', layer: 'local' },
    ]);
  }
});

test('git does not add local settings that an answer saved, and the rest of its private list stays', async () => {
  const at = places();
  git(at, 'init', '--quiet');
  writeFileSync(join(at.root, '.git/info/exclude'), 'mine');
  for (const text of ['npm test', 'make']) expect((await save(add(text), 'local', at)).ok).toBe(true);
  expect(git(at, 'status', '--porcelain', '--untracked-files=all')).toBe('');
  expect(readFileSync(join(at.root, '.git/info/exclude'), 'utf8')).toBe(
    'mine\n/.cadre/settings.local.json\n',
  );
  expect((await save(add('npm test'), 'project', at)).ok).toBe(true);
  expect(git(at, 'status', '--porcelain', '--untracked-files=all')).toBe('?? sub/.cadre/settings.json\n');
});

test('a rule is saved without hiding it where the private list is no file, or git itself is elsewhere', async () => {
  const odd = places();
  git(odd, 'init', '--quiet');
  rmSync(join(odd.root, '.git/info/exclude'));
  spawnSync('mkfifo', [join(odd.root, '.git/info/exclude')]);
  const pointing = places();
  mkdirSync(join(pointing.userHome, 'git/info'), { recursive: true });
  writeFileSync(join(pointing.root, '.git'), `gitdir: ${join(pointing.userHome, 'git')}\n`);
  for (const at of [odd, pointing, places()]) expect((await save(add('make'), 'local', at)).ok).toBe(true);
  expect(readdirSync(join(pointing.userHome, 'git/info'))).toEqual([]);
});

function git({ root, userHome }: SavePlace, ...args: string[]): string {
  const env = { PATH: process.env.PATH ?? '', HOME: userHome };
  return spawnSync('git', args, { cwd: root, env, encoding: 'utf8' }).stdout;
}
