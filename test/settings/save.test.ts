import { expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { PermissionUpdate, Rule } from '../../src/protocol/permission.ts';
import { setJsonValue } from '../../src/settings/json-edit.ts';
import { savePermissions, settingsFileFor } from '../../src/settings/save.ts';
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

function places() {
  const { path } = temporaryDirectory();
  const all = { home: join(path, 'home'), cwd: join(path, 'repo', 'sub'), mainRoot: join(path, 'repo') };
  for (const directory of [all.home, all.cwd]) mkdirSync(directory, { recursive: true });
  return all;
}

function withFile(text: string) {
  const at = places();
  const file = settingsFileFor('local', at);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return { at, file, read: () => readFileSync(file, 'utf8') };
}

test('a rule goes to the local settings at the root of the main checkout, in a private file', () => {
  const at = places();
  const saved = savePermissions(add('npm test'), 'local', at);
  const file = join(at.mainRoot, '.cadre', 'settings.local.json');
  expect(saved).toEqual({ ok: true, value: file });
  expect(readFileSync(file, 'utf8')).toBe(
    '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n',
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('everything else in the file stays byte for byte', () => {
  const text =
    '{\n\t"hooks":   {"Stop": [ ]},  \n\t"permissions": {\n\t\t"deny" : ["Read(.env)"],\n\t\t"allow": [\n\t\t\t"Read"\n\t\t]\n\t},\n\t"mine": 1.0e3 }\n\n';
  const { at, read } = withFile(text);
  expect(savePermissions(add('npm test', 'make'), 'local', at).ok).toBe(true);
  expect(read()).toBe(
    text.replace('\t\t\t"Read"\n', '\t\t\t"Read",\n\t\t\t"Bash(npm test)",\n\t\t\t"Bash(make)"\n'),
  );
});

test('a list on one line stays on one line', () => {
  const { at, read } = withFile('{"permissions": {"allow": ["Read"]}, "model": "x"}');
  savePermissions(add('make'), 'local', at);
  expect(read()).toBe('{"permissions": {"allow": ["Read", "Bash(make)"]}, "model": "x"}');
});

test('a rule that is there is not written twice, and the file is left alone', () => {
  const { at, file, read } = withFile('{ "permissions": { "allow": [ "Bash(make)" ] } }');
  const before = statSync(file).mtimeMs;
  expect(savePermissions(add('make'), 'local', at).ok).toBe(true);
  expect(read()).toBe('{ "permissions": { "allow": [ "Bash(make)" ] } }');
  expect(statSync(file).mtimeMs).toBe(before);
});

test('rules, directories and the mode can be taken back and set', () => {
  const { at, read } = withFile('{"permissions": {"allow": ["Bash(a)", "Bash(b)"]}}');
  const put = (update: PermissionUpdate) => expect(savePermissions(update, 'local', at).ok).toBe(true);
  put({ type: 'remove_rules', rules: [rule('a')], destination: 'local' });
  put({ type: 'set_mode', mode: 'acceptEdits', destination: 'local' });
  put({ type: 'add_directories', directories: ['/x'], destination: 'local' });
  expect(JSON.parse(read())).toEqual({
    permissions: { allow: ['Bash(b)'], defaultMode: 'acceptEdits', additionalDirectories: ['/x'] },
  });
  put({ type: 'replace_rules', behaviour: 'allow', rules: [rule('c')], destination: 'local' });
  expect(JSON.parse(read()).permissions.allow).toEqual(['Bash(c)']);
});

test.each(['{ not json', '[]', '{"permissions": []}', '{"permissions": {"allow": "Read"}}'])(
  'a file that is not ours to understand is left as it is: %s',
  (text) => {
    const { at, read } = withFile(text);
    expect(savePermissions(add('make'), 'local', at)).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('nothing was saved') },
    });
    expect(read()).toBe(text);
  },
);

test('a link in a repository is not followed, neither as file nor as folder', () => {
  const { at, file } = withFile('{}');
  const target = join(at.home, 'victim.json');
  writeFileSync(target, '{}');
  const other = places();
  symlinkSync(at.home, join(other.mainRoot, '.cadre'));
  expect(savePermissions(add('make'), 'local', other).ok).toBe(false);
  expect(readdirSync(at.home)).toEqual(['victim.json']);
  const third = places();
  mkdirSync(join(third.mainRoot, '.cadre'));
  symlinkSync(target, settingsFileFor('local', third));
  expect(savePermissions(add('make'), 'local', third).ok).toBe(false);
  expect(readFileSync(target, 'utf8')).toBe('{}');
  expect(existsSync(file)).toBe(true);
});

test('the user’s own file may be a link, which stays', () => {
  const at = places();
  const target = join(at.mainRoot, 'dotfiles.json');
  writeFileSync(target, '{}');
  symlinkSync(target, join(at.home, 'settings.json'));
  expect(savePermissions(add('make'), 'user', at).ok).toBe(true);
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ permissions: { allow: ['Bash(make)'] } });
});

test('an existing file keeps its mode', () => {
  const { at, file } = withFile('{}');
  chmodSync(file, 0o644);
  savePermissions(add('make'), 'local', at);
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

test('a rule that would be read as another one is not written', () => {
  const at = places();
  expect(savePermissions(add(' make '), 'local', at).ok).toBe(false);
  expect(existsSync(settingsFileFor('local', at))).toBe(false);
});

test('a file that cannot be written is a problem that names it', async () => {
  const found = await runUnprivileged<{ ok: boolean; problem?: { message: string } }>({
    code: `import { savePermissions } from '${join(import.meta.dirname, '../../src/settings/save.ts')}';
      import { chmodSync, mkdirSync } from 'node:fs';
      export default (args, directory) => {
        mkdirSync(directory + '/.cadre');
        chmodSync(directory + '/.cadre', 0o500);
        const rule = { behaviour: 'allow', tool: 'Bash', specifier: 'make', layer: 'session', source: '', base: '/' };
        const places = { home: directory, cwd: directory, mainRoot: directory };
        return savePermissions({ type: 'add_rules', rules: [rule], destination: 'local' }, 'local', places);
      };`,
  });
  expect(found).toMatchObject({
    ok: false,
    problem: { message: expect.stringContaining('settings.local.json') },
  });
});

test.each([
  ['{}', '{\n  "a": {\n    "b": 1\n  }\n}'],
  ['{"x": 1}', '{"x": 1, "a": {"b":1}}'],
  ['{"a": 5}', '{"a": {\n    "b": 1\n  }}'],
  ['{"a": {"b": 0}, "a": {"b": 2}}', '{"a": {"b": 0}, "a": {"b": 1}}'],
  ['{"a": {"c": "}\\"{"}}', '{"a": {"c": "}\\"{", "b": 1}}'],
])('one value is set in %s', (before, after) => {
  const changed = setJsonValue(before, ['a', 'b'], 1);
  expect(changed).toBe(after);
  expect(JSON.parse(changed).a.b).toBe(1);
});
