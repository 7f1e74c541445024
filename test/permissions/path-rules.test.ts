import { describe, expect, test } from 'bun:test';
import { fullRole, openCeiling } from '../../src/permissions/ceiling.ts';
import { decide } from '../../src/permissions/decide.ts';
import { type Case, judge, linksOf, read, rule, shell, workspace, write } from './cases.ts';

const behaviour = (one: Case) => judge(one).behaviour;

describe('allow rules', () => {
  const cases: [rule: string, path: string, allowed: boolean][] = [
    ['Edit(src/**)', '/repo/src/a.ts', true],
    ['Edit(src/**)', '/repo/lib/src/a.ts', false],
    ['Edit(src/**)', '/repo/src', false],
    ['Edit(./src/**)', '/repo/src/a.ts', true],
    ['Edit(/src/**)', '/repo/src/a.ts', true],
    ['Edit(//srv/x/**)', '/srv/x/a', true],
    ['Edit(//srv/x/**)', '/srv/xy/a', false],
    ['Edit(~/notes/**)', '/home/u/notes/a', true],
    ['Edit(~/notes/**)', '/home/v/notes/a', false],
    ['Edit(*.md)', '/repo/deep/a.md', true],
    ['Edit(*.md)', '/other/a.md', false],
    ['Edit(Src/**)', '/repo/src/a', false],
    ['Edit(**)', '/repo/../etc/a', false],
    ['Edit', '/anywhere/a', true],
    ['Read(**)', '/repo/a', false],
  ];
  for (const [text, path, allowed] of cases)
    test(`${text} ${allowed ? 'allows' : 'does not allow'} writing ${path}`, () => {
      expect(behaviour({ accesses: [write(path)], allow: [text] })).toBe(allowed ? 'allow' : 'ask');
    });

  test('a rule beginning with one slash is relative to its settings file', () => {
    const call = { tool: 'Edit', accesses: [write('/repo/src/a')], workspace };
    const judged = (base: string) =>
      decide(openCeiling, fullRole, 'default', [rule('Edit(/src/**)', 'allow', base)], call).behaviour;
    expect([judged('/repo'), judged('/elsewhere')]).toEqual(['allow', 'ask']);
  });

  test('Edit covers Write and NotebookEdit, Read covers Grep and Glob', () => {
    for (const tool of ['Write', 'NotebookEdit'])
      expect(behaviour({ tool, accesses: [write('/repo/a')], allow: ['Edit(a)'] })).toBe('allow');
    for (const tool of ['Grep', 'Glob'])
      expect(behaviour({ tool, accesses: [read('/srv/a')], allow: ['Read(//srv/**)'] })).toBe('allow');
  });

  test('a grant needs the link and its target', () => {
    const links = { realPath: linksOf({ '/repo/build': '/etc' }) };
    const one: Case = {
      accesses: [write('/repo/build/passwd')],
      allow: ['Edit(build/**)'],
      workspace: links,
    };
    expect(behaviour(one)).toBe('ask');
    expect(behaviour({ ...one, allow: ['Edit(build/**)', 'Edit(//etc/**)'] })).toBe('ask');
  });
});

describe('deny rules', () => {
  const cases: [rule: string, path: string, denied: boolean][] = [
    ['Read(.env)', '/repo/.env', true],
    ['Read(.env)', '/repo/deep/.env', true],
    ['Read(.env)', '/repo/.ENV', true],
    ['Read(.env)', '/repo/.envrc', false],
    ['Read(secrets)', '/repo/a/secrets/key', true],
    ['Read(secrets/)', '/repo/secrets/key', true],
    ['Read(secrets/**)', '/repo/lib/secrets/key', true],
    ['Read(secrets/**)', '/repo/secrets', true],
    ['Read(./secrets/**)', '/repo/lib/secrets/key', false],
    ['Read(src/**)', '/extra/src/a', true],
    ['Read(id_rsa)', '/home/u/.ssh/id_rsa', true],
    ['Read(~/.ssh/**)', '/home/u/.ssh/id_rsa', true],
    ['Read(//etc/**)', '/etc/passwd', true],
    ['Edit(.env)', '/repo/.env', false],
  ];
  for (const [text, path, denied] of cases)
    test(`${text} ${denied ? 'denies' : 'does not deny'} reading ${path}`, () => {
      expect(behaviour({ accesses: [read(path)], deny: [text] }) === 'deny').toBe(denied);
    });

  test('a workspace below a directory of the same name is not denied whole', () => {
    const one: Case = {
      accesses: [read('/home/u/src/app/a')],
      deny: ['Read(src/**)'],
      workspace: { cwd: '/home/u/src/app' },
    };
    expect(behaviour(one)).toBe('allow');
  });

  test('either the link or its target is enough', () => {
    const links = { realPath: linksOf({ '/repo/x': '/repo/secret' }) };
    for (const text of ['Read(x)', 'Read(secret)', 'Read(./secret)'])
      expect(behaviour({ accesses: [read('/repo/x')], deny: [text], workspace: links })).toBe('deny');
    expect(behaviour({ accesses: [read('/repo/secret')], deny: ['Read(./x)'], workspace: links })).toBe(
      'deny',
    );
  });

  test('a denied path is denied to any tool that touches it', () => {
    expect(behaviour({ tool: 'Other', accesses: [write('/repo/a')], deny: ['Edit(a)'] })).toBe('deny');
  });

  test('a parameter rule matches its parameter, and where the input is unknown it refuses', () => {
    const deny = ['Agent(model:opus)'];
    const one: Case = { tool: 'Agent', accesses: [{ kind: 'none' }], deny };
    expect(behaviour({ ...one, input: { model: 'opus' } })).toBe('deny');
    expect(behaviour({ ...one, input: { model: 'haiku' } })).toBe('allow');
    expect(behaviour({ ...one, input: {} })).toBe('allow');
    expect(behaviour(one)).toBe('deny');
  });

  test('TF4: a rule may name types of agents', () => {
    const one: Case = { tool: 'Agent', accesses: [{ kind: 'none' }], deny: ['Agent(Explore, general)'] };
    for (const subagent_type of ['Explore', 'explore', 'general-purpose', 'general'])
      expect(behaviour({ ...one, input: { subagent_type } })).toBe('deny');
    expect(behaviour({ ...one, input: { type: 'Explore' } })).toBe('deny');
    expect(behaviour({ ...one, input: { subagent_type: 'Plan' } })).toBe('allow');
    expect(behaviour(one)).toBe('deny');
  });

  test('a specifier that cannot be judged refuses and never grants', () => {
    const one: Case = { tool: 'WebFetch', accesses: [{ kind: 'none' }] };
    expect(behaviour({ ...one, deny: ['WebFetch(domain:x.example)'] })).toBe('deny');
    expect(judge({ ...one, allow: ['WebFetch(domain:x.example)'] }).by).toBe('default');
  });
});

describe('rules with .. in their paths', () => {
  const refused: [rule: string, path: string][] = [
    ['Read(../hush.txt)', '/hush.txt'],
    ['Read(./../hush.txt)', '/hush.txt'],
    ['Read(src/../../x/**)', '/x/a'],
    ['Read(src/../hush.txt)', '/repo/hush.txt'],
    ['Read(~/../v/notes)', '/home/v/notes/a'],
    ['Read(//srv/../etc/x)', '/etc/x'],
    ['Read(/../hush.txt)', '/hush.txt'],
    ['Read(../..)', '/anything'],
  ];
  for (const [text, path] of refused)
    test(`${text} refuses ${path}, to tools and to commands`, () => {
      const mode = 'bypassPermissions';
      expect(behaviour({ accesses: [read(path)], deny: [text], mode })).toBe('deny');
      expect(behaviour({ accesses: [shell(`cat ${path}`)], deny: [text], mode })).toBe('deny');
      expect(behaviour({ accesses: [read(path)], allow: [text] })).toBe('allow');
    });

  test('what they do not name stays free', () => {
    for (const path of ['/repo/hush.txt', '/repo/src/hush.txt'])
      expect(behaviour({ accesses: [read(path)], deny: ['Read(../hush.txt)'] })).toBe('allow');
    expect(behaviour({ accesses: [write('/x')], deny: ['Edit(../x)'], mode: 'bypassPermissions' })).toBe(
      'deny',
    );
  });

  test('behind a wildcard they cannot be read', () => {
    for (const text of ['Read(*/../x)', 'Edit(src/**/a/../b)', 'Read([ab]/..)'])
      expect(() => rule(text, 'deny')).toThrow('..');
    expect(() => rule('Bash(cat */../x)', 'deny')).not.toThrow();
  });
});
