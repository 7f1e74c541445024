import { expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { manualClock } from '../../src/lib/clock.ts';
import type { Rule } from '../../src/protocol/permission.ts';
import { changeSetting } from '../../src/settings/change-setting.ts';
import { findSavedLayer } from '../../src/settings/change-settings.ts';
import { replaceRule, savePermissions } from '../../src/settings/save-permissions.ts';
import { listWritten } from '../../src/settings/written.ts';
import { temporaryDirectory } from '../support/index.ts';

function places() {
  const { path } = temporaryDirectory();
  const userHome = join(path, 'user');
  const root = join(path, 'tree');
  const all = { home: join(userHome, '.cadre'), userHome, cwd: join(root, 'sub'), root };
  const at = { ...all, mainRoot: join(path, 'main') };
  for (const directory of [at.home, at.cwd, at.mainRoot]) mkdirSync(directory, { recursive: true });
  return at;
}

const clock = manualClock(Date.UTC(2031, 1, 3));
const userFile = (at: { home: string }) => join(at.home, 'settings.json');

function write(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('one value is changed, and the rest of the file stays', async () => {
  const at = places();
  write(userFile(at), { other: 1, terminal: { theme: 'dark', notify: 'off' } });
  const saved = await changeSetting(at, 'user', clock, ['terminal', 'theme'], () => 'light');
  expect(saved).toMatchObject({ ok: true, value: { file: userFile(at), inForce: true } });
  expect(read(userFile(at))).toEqual({ other: 1, terminal: { theme: 'light', notify: 'off' } });
});

test('a value that the next start would refuse is not written', async () => {
  const at = places();
  write(userFile(at), { maxTurns: 5 });
  const saved = await changeSetting(at, 'user', clock, ['maxTurns'], () => 0);
  expect(saved).toMatchObject({
    ok: false,
    problem: { message: 'maxTurns: expected at least 1, found the number 0.' },
  });
  expect(read(userFile(at))).toEqual({ maxTurns: 5 });
});

test('a member of an object that is written as a switch keeps the switch', async () => {
  const at = places();
  write(userFile(at), { dream: true });
  await changeSetting(at, 'user', clock, ['dream', 'idleMinutes'], () => 3);
  expect(read(userFile(at))).toEqual({ dream: { enabled: true, idleMinutes: 3 } });
});

test('only the files that Cadre writes have a layer to save in', () => {
  const at = places();
  expect(findSavedLayer(at, userFile(at))).toBe('user');
  expect(findSavedLayer(at, join(at.cwd, '.cadre', 'settings.json'))).toBe('project');
  expect(findSavedLayer(at, join(at.mainRoot, '.cadre', 'settings.local.json'))).toBe('local');
  // The first belongs to another program, the others to another directory.
  expect(findSavedLayer(at, join(at.userHome, '.claude', 'settings.json'))).toBeUndefined();
  expect(findSavedLayer(at, join(at.root, '.cadre', 'settings.local.json'))).toBeUndefined();
  expect(findSavedLayer(at, '/elsewhere/.cadre/settings.json')).toBeUndefined();
});

test('each file that sets a value is listed with its own part', () => {
  const at = places();
  const managed = join(at.home, 'managed');
  write(join(managed, 'managed-settings.json'), { env: { A: '1' } });
  write(userFile(at), { env: { B: '2' } });
  const found = listWritten({ ...at, sources: ['user'], trusted: false, managedDirectories: [managed] }, [
    'env',
  ]);
  expect(found).toEqual({
    ok: true,
    value: [
      { layer: 'managed', file: join(managed, 'managed-settings.json'), value: { A: '1' } },
      { layer: 'user', file: userFile(at), value: { B: '2' } },
    ],
  });
});

const rule = (specifier: string, file: string): Rule => ({
  ...{ behaviour: 'allow', tool: 'Bash', specifier, layer: 'user', source: file, base: '/' },
});

test('a rule that is changed replaces the old one in one write', async () => {
  const at = places();
  const file = userFile(at);
  write(file, { permissions: { allow: ['Read', 'Bash( npm test )', 'Bash(ls)'] } });
  const saved = await replaceRule(rule('npm test', file), rule('npm run *', file), 'user', at, clock);
  expect(saved.ok).toBe(true);
  expect(read(file)).toEqual({ permissions: { allow: ['Read', 'Bash(npm run *)', 'Bash(ls)'] } });
});

test('a rule that another process removed is not changed, and the message says so', async () => {
  const at = places();
  const file = userFile(at);
  write(file, { permissions: { allow: ['Read'] } });
  const saved = await replaceRule(rule('npm test', file), rule('npm run *', file), 'user', at, clock);
  expect(saved).toMatchObject({
    ok: false,
    problem: { message: `${file} no longer contains Bash(npm test), so nothing was changed.` },
  });
  expect(read(file)).toEqual({ permissions: { allow: ['Read'] } });
});

test('a rule is removed however it was written', async () => {
  const at = places();
  const file = userFile(at);
  write(file, { permissions: { allow: ['Bash( npm test )', 'Read'] } });
  const update = { type: 'remove_rules', rules: [rule('npm test', file)], destination: 'user' } as const;
  await savePermissions({ ...update, rules: [...update.rules] }, 'user', at, clock);
  expect(read(file)).toEqual({ permissions: { allow: ['Read'] } });
});
