import { beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { SavedLayer } from '../../src/settings/change-settings.ts';
import { parseRule } from '../../src/settings/rules.ts';
import { savePermissions } from '../../src/settings/save-permissions.ts';
import { Repository } from './trust-support.ts';

let repository: Repository;
let local: string;
beforeEach(() => {
  repository = new Repository();
  local = join(repository.root, '.cadre/settings.local.json');
});

const save = async (text: string, layer: SavedLayer = 'local', behaviour: 'allow' | 'deny' = 'allow') => {
  const rule = parseRule(text, behaviour, 'session', 'your answer', repository.root);
  if (!rule.ok) return rule;
  const place = { ...repository.place(), mainRoot: repository.root };
  const update = { type: 'add_rules' as const, rules: [rule.value], destination: layer };
  return savePermissions(update, layer, place, repository.clock);
};
const saved = (file: string, inForce = true) => ({ ok: true as const, value: { file, inForce } });
const rules = async () => (await repository.load()).rules.map((rule) => `${rule.layer} ${rule.specifier}`);
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('a rule in a new file is in force from then on', async () => {
  expect(await save('Bash(make)')).toEqual(saved(local));
  expect(await rules()).toEqual(['local make']);
  expect(statSync(local).mode & 0o777).toBe(0o600);
});

test('a second rule joins the first, a repeated one does not', async () => {
  for (const rule of ['Bash(a)', 'Bash(b)', 'Bash(a)']) expect(await save(rule)).toEqual(saved(local));
  expect(read(local)).toEqual({ permissions: { allow: ['Bash(a)', 'Bash(b)'] } });
  expect(await rules()).toEqual(['local a', 'local b']);
});

describe('a file that is there', () => {
  test('keeps its other keys and its mode, and stays trusted when it was', async () => {
    repository.put('.cadre/settings.local.json', { model: 'a/b', permissions: { deny: ['Read(x)'] } });
    chmodSync(local, 0o640);
    await repository.trust();
    expect(await save('Bash(make)')).toEqual(saved(local));
    expect(read(local)).toEqual({ model: 'a/b', permissions: { deny: ['Read(x)'], allow: ['Bash(make)'] } });
    expect(statSync(local).mode & 0o777).toBe(0o640);
    expect((await repository.load()).model).toBe('a/b');
  });

  test('that only narrowed becomes trusted with the rule', async () => {
    repository.put('.cadre/settings.local.json', { permissions: { deny: ['Read(x)'] } });
    expect(await save('Bash(make)')).toEqual(saved(local));
    expect(await rules()).toEqual(['local x', 'local make']);
  });

  test('with power that nobody has trusted does not become trusted by a saved rule', async () => {
    repository.put('.cadre/settings.local.json', { env: { NODE_OPTIONS: '-r evil' } });
    expect(await save('Bash(make)')).toEqual(saved(local, false));
    expect(await repository.load()).toMatchObject({ env: {}, rules: [] });
    expect(read(local)).toMatchObject({ permissions: { allow: ['Bash(make)'] } });
  });

  test('that was trusted and then changed by somebody else stays untrusted', async () => {
    await save('Bash(make)');
    repository.put('.cadre/settings.local.json', { permissions: { allow: ['Bash(make)', 'Bash(evil)'] } });
    expect(await save('Bash(test)')).toEqual(saved(local, false));
    expect(await rules()).toEqual([]);
  });

  test('that is already saying so is not trusted for that', async () => {
    repository.put('.cadre/settings.local.json', { permissions: { allow: ['Bash(make)'] } });
    expect(await save('Bash(make)')).toEqual(saved(local, false));
    expect(await rules()).toEqual([]);
  });
});

test('the project’s and the user’s own files are written too, those of other programs never', async () => {
  repository.put('.claude/settings.local.json', { permissions: { allow: ['Bash(other)'] } });
  const project = join(repository.root, '.cadre/settings.json');
  const user = join(repository.home, 'settings.json');
  expect(await save('Bash(p)', 'project')).toEqual(saved(project));
  expect(await save('Bash(u)', 'user')).toEqual(saved(user));
  expect(await save('Bash(d)', 'user', 'deny')).toEqual(saved(user));
  expect(await rules()).toEqual(['project p', 'user d', 'user u']);
  expect(read(join(repository.root, '.claude/settings.local.json'))).toEqual({
    permissions: { allow: ['Bash(other)'] },
  });
});

describe('is refused, and nothing is written', () => {
  test('a rule that could not be read again', async () => {
    expect(await save('Bash(')).toMatchObject({ ok: false, problem: { kind: 'usage' } });
    expect(existsSync(local)).toBe(false);
  });

  const bad: [string, string, string][] = [
    ['no JSON', '{,}', ':1:2: not valid JSON'],
    ['no object', '[]', 'expected an object'],
    ['permissions of another kind', '{"permissions":[]}', 'have an invalid form'],
    ['rules of another kind', '{"permissions":{"allow":"Bash"}}', 'have an invalid form'],
  ];
  for (const [name, text, message] of bad)
    test(name, async () => {
      repository.put('.cadre/settings.local.json', text);
      expect(await save('Bash(make)')).toMatchObject({
        ok: false,
        problem: { kind: 'usage', message: expect.stringContaining(message) },
      });
      expect(readFileSync(local, 'utf8')).toBe(text);
    });

  test('where the file, or its folder, leads out of the repository', async () => {
    mkdirSync(join(repository.top, 'outside'));
    symlinkSync(join(repository.top, 'outside'), join(repository.root, '.cadre'));
    expect(await save('Bash(make)')).toMatchObject({
      ok: false,
      problem: { message: expect.stringContaining('points outside the repository') },
    });
    expect(existsSync(join(repository.top, 'outside/settings.local.json'))).toBe(false);
  });
});
