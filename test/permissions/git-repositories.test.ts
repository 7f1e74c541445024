import { expect, test } from 'bun:test';
import { chmodSync } from 'node:fs';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

/** A clone with a bare repository among its plain files, whose hook and settings print a word. */
function openWithBare() {
  const ground = openGitGround({ a: 'one\n', 'sub/b': 'two\n' });
  const bare = 'vendor/x.git';
  ground.put(`${bare}/HEAD`, 'ref: refs/heads/main\n');
  ground.put(`${bare}/objects/keep`, '');
  ground.put(`${bare}/refs/keep`, '');
  const program = `${ground.root}/run`;
  ground.put('run', '#!/bin/sh\necho PROGRAM RAN >&2\n');
  ground.put(`${bare}/hooks/pre-receive`, '#!/bin/sh\necho PROGRAM RAN >&2\n');
  chmodSync(program, 0o755);
  chmodSync(`${ground.root}/${bare}/hooks/pre-receive`, 0o755);
  ground.put(
    `${bare}/config`,
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ../..\n\tfsmonitor = ${program}\n` +
      `[remote "origin"]\n\turl = ../..\n\tuploadpack = ${program}\n`,
  );
  ground.run('git add -A && git commit -qm vendored');
  const workspace = {
    ...{ cwd: ground.root, directories: [], realPath: resolveRealPath },
    look: lookAtFiles([ground.root], undefined, { ...ground.env }),
  };
  return {
    ...ground,
    behaviour: (command: string, more: Partial<Case> & { in?: string } = {}) => {
      const cwd = more.in === undefined ? ground.root : `${ground.root}/${more.in}`;
      return judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, ...more });
    },
  };
}

type Ground = ReturnType<typeof openWithBare>;

const allow = [
  'Bash(git push:*)',
  'Bash(git fetch:*)',
  'Bash(git add:*)',
  'Bash(git commit:*)',
  'Bash(git ls-remote:*)',
];

function expectRunsAndAsks(ground: Ground, line: string, more: Partial<Case> = {}) {
  expect([line, ground.run(line)]).toEqual([line, expect.stringContaining('PROGRAM RAN')]);
  const decision = ground.behaviour(line, { allow, ...more });
  expect([line, decision.behaviour, decision.by]).toEqual([line, 'ask', 'protected-path']);
}

test('a rule for git push does not cover a repository of plain files in the workspace', () => {
  const ground = openWithBare();
  const destinations = [
    ...['./vendor/x.git', 'vendor/x.git', 'vendor/x', './vendor/x', `${ground.root}/vendor/x.git`],
    ...[`file://${ground.root}/vendor/x.git`, `file://${ground.root}/vendor/%78.git`],
    ...['-- ./vendor/x.git', './pointer'],
  ];
  ground.put('pointer', 'gitdir: vendor/x.git\n');
  for (const [at, to] of destinations.entries())
    expectRunsAndAsks(ground, `git push ${to} HEAD:refs/heads/n${at}`);
  expectRunsAndAsks(ground, 'git push --all ./vendor/x.git');
  expectRunsAndAsks(ground, 'cd sub && git push vendor/x.git HEAD:refs/heads/sub');
  expectRunsAndAsks(ground, 'git push ven*/x.git HEAD:refs/heads/pattern');
  expectRunsAndAsks(ground, 'd=vendor; git push "$d/x" HEAD:refs/heads/variable');
});

test('a remote whose address is a repository of plain files in the workspace is asked about by every name', () => {
  const ground = openWithBare();
  expect(ground.behaviour('git push', { allow }).behaviour).toBe('allow');
  expect(ground.behaviour('git push origin main', { allow }).behaviour).toBe('allow');
  ground.run('git remote add near ./vendor/x.git');
  expectRunsAndAsks(ground, 'git push near HEAD:refs/heads/near');
  ground.run('git config branch.main.remote near; git config branch.main.merge refs/heads/main');
  expectRunsAndAsks(ground, 'git push');
  ground.run('git remote remove near; git config remote.pushdefault vendor/x');
  expectRunsAndAsks(ground, 'git push --all');
  ground.run('git config --unset remote.pushdefault; git config url.vendor/.pushInsteadOf short:');
  expectRunsAndAsks(ground, 'git push short:x HEAD:refs/heads/short');
  ground.run(
    'git config remote.origin.url https://example.com/a; git config remote.origin.pushurl ./vendor/x.git',
  );
  expectRunsAndAsks(ground, 'git push origin HEAD:refs/heads/pushurl');
});

test('other ways to a repository of plain files are asked about as well', () => {
  const ground = openWithBare();
  const lines = [
    ...['git fetch ./vendor/x.git', 'git fetch vendor/x', 'git pull vendor/x main', 'git ls-remote vendor/x'],
    ...['git clone vendor/x copy', 'git clone ./vendor/x.git copy', 'git remote add n vendor/x'],
    ...[
      'git remote set-url origin ./vendor/x',
      'git submodule add ./vendor/x s',
      'git send-pack vendor/x main',
    ],
    ...['git push "$WHERE" main', 'git fetch "$(cat where)"'],
  ];
  for (const line of lines)
    for (const rules of [['Bash(git:*)'], ['Bash(git push:*)', `Bash(${line.split(' ', 2).join(' ')}:*)`]])
      expect([line, ground.behaviour(line, { allow: rules }).behaviour]).toEqual([line, 'ask']);
});

test('a deny rule about the files of another repository holds for a push and a fetch in every mode', () => {
  const ground = openWithBare();
  const of = (command: string, deny: string) =>
    ground.behaviour(command, { deny: [deny], mode: 'bypassPermissions' }).behaviour;
  expect(of('git push ./vendor/x.git HEAD:y', 'Edit(vendor/**)')).toBe('deny');
  expect(of('git push vendor/x HEAD:y', 'Edit(vendor/x.git/**)')).toBe('deny');
  expect(of('git push --repo=vendor/x HEAD:y', 'Edit(vendor/**)')).toBe('deny');
  expect(of('git fetch vendor/x', 'Read(vendor/**)')).not.toBe('allow');
  expect(of('git push origin main', 'Edit(vendor/**)')).toBe('allow');
  expect(of('git push ./vendor/x.git HEAD:y', 'Edit(src/**)')).toBe('allow');
});

test('git in a directory of plain files that is taken for a repository is asked about, whatever rule allows git', () => {
  const ground = openWithBare();
  expectRunsAndAsks(ground, 'cd vendor/x.git && git add a');
  expectRunsAndAsks(ground, 'cd vendor/x.git && git fetch');
  expectRunsAndAsks(ground, 'cd vendor/x.git/hooks && git add -A');
  const lines = ['git fetch', 'git push', 'git commit -m x', 'git status', 'git add a', 'git pull'];
  for (const line of lines)
    for (const rule of ['Bash(git:*)', 'Bash', `Bash(${line})`]) {
      const said = (command: string, place?: string) =>
        ground.behaviour(command, { allow: [rule, 'Bash(cd:*)'], ...(place ? { in: place } : {}) }).behaviour;
      expect([line, rule, said(line, 'vendor/x.git')]).toEqual([line, rule, 'ask']);
      expect([line, rule, said(line)]).toEqual([line, rule, 'allow']);
    }
  expect(ground.behaviour('cd vendor/x.git && git add a', { mode: 'bypassPermissions' }).behaviour).toBe(
    'allow',
  );
});

test('a bare repository outside of the workspace is asked about by its path, and not by the name of a remote', () => {
  const ground = openWithBare();
  ground.run('git init -q --bare ../next.git; git remote add origin ../next.git');
  const of = (command: string) =>
    ground.behaviour(command, { allow: [...allow, 'Bash(git clone:*)'] }).behaviour;
  for (const line of [
    'git push origin main',
    'git push',
    'git fetch',
    'git fetch origin',
    'git fetch ../next.git',
  ])
    expect([line, of(line)]).toEqual([line, 'allow']);
  for (const line of [
    'git push ../next.git main',
    'git push ../next main',
    `git push file://${ground.root}/../next.git`,
  ])
    expect([line, of(line)]).toEqual([line, 'ask']);
});

test('pushes and fetches by addresses of hosts, names of remotes and of branches are not asked about', () => {
  const ground = openWithBare();
  ground.run('git remote add origin https://example.com/a.git; git init -q inner');
  const lines = [
    ...[
      'git push',
      'git push -u origin HEAD',
      'git push origin main --tags',
      'git push git@example.com:a/b.git main',
    ],
    ...[
      'git push https://example.com/vendor/x.git main',
      'git fetch --all --prune',
      'git fetch upstream',
      'git push . HEAD:next',
    ],
    ...[
      'git fetch ./inner',
      'git add a && git commit -m "push ./vendor/x.git"',
      'git ls-remote --tags origin',
    ],
  ];
  for (const line of lines)
    expect([line, ground.behaviour(line, { allow }).behaviour]).toEqual([line, 'allow']);
});

test("a bare repository that is the workspace itself is the user's own", () => {
  const ground = openWithBare();
  ground.run('git init -q --bare ../own.git');
  const cwd = `${ground.root}/../own.git`.replace('/repo/..', '');
  const workspace = { cwd, directories: [], realPath: resolveRealPath, look: lookAtFiles([cwd]) };
  const command = 'git fetch origin';
  expect(judge({ accesses: [{ kind: 'shell', command, cwd }], workspace, allow }).behaviour).toBe('allow');
});
