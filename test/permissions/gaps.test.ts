import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untold } from '../../src/lib/told.ts';
import { exploreRole } from '../../src/permissions/roles.ts';
import { emptyLook, type Look } from '../../src/places/look.ts';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { openTrackedFiles } from '../../src/workspace/git/git-index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge, shell } from './cases.ts';

const gitTest = needs('git');
const on = (command: string, more: Partial<Case> = {}) =>
  judge({ accesses: [shell(command)], ...more }).behaviour;

test('Cd rules say where a shell may go, by cd in the text', () => {
  expect(on('cd src && ls')).toBe('allow');
  expect(on('cd src && ls', { deny: ['Cd(src)'] })).toBe('deny');
  expect(on('cd src/deep; ls', { deny: ['Cd(src/**)'] })).toBe('deny');
  expect(on('cd other; ls', { deny: ['Cd(src/**)'] })).toBe('allow');
  expect(on('cd src && ls', { ask: ['Cd(src)'] })).toBe('ask');
  expect(on('cd /opt/lib')).toBe('ask');
  expect(on('cd /opt/lib', { allow: ['Cd(//opt/lib)'] })).toBe('allow');
  expect(on('cd /opt/lib && cat x', { allow: ['Cd(//opt/lib)'] })).toBe('ask');
  expect(on('cd /opt/lib', { allow: ['Cd(//opt/lib)'], deny: ['Cd(//opt/**)'] })).toBe('deny');
  expect(on('(cd src && ls)', { deny: ['Cd(src)'], mode: 'bypassPermissions' })).toBe('deny');
  expect(on('bash -c "cd src"', { deny: ['Cd(src)'] })).toBe('deny');
});

test('PE5 a link behind a pattern counts by where it leads', () => {
  const root = join(temporaryDirectory().path, 'repo');
  mkdirSync(join(root, 'docs'), { recursive: true });
  writeFileSync(join(root, 'a.md'), '');
  symlinkSync('/etc/hostname', join(root, 'b.md'));
  symlinkSync('../a.md', join(root, 'docs/in.md'));
  const workspace = { cwd: root, directories: [], realPath: resolveRealPath, look: lookAtFiles([root]) };
  const judged = (command: string) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace }).behaviour;
  const asked = [
    'cat *.md',
    'cat [b].md',
    'head ?.md',
    'grep x *',
    "find . -name '*.md' | xargs cat",
    'wc -l $(ls)',
    'grep -R x .',
    'diff -r . docs',
    'tree -l',
  ];
  for (const command of asked) expect([command, judged(command)]).toEqual([command, 'ask']);
  const allowed = [
    'cat a*',
    'cat docs/*.md',
    'cat [a].md',
    'ls -d *.md',
    'grep -r x .',
    'tree',
    'diff -r docs docs',
    "find docs -name '*.md' | head",
    "find . -name '*.ts' | xargs cat",
  ];
  for (const command of allowed) expect([command, judged(command)]).toEqual([command, 'allow']);
});

test('what git shows of a file is a reading of it: deny rules hold for revisions and pathspecs', () => {
  const deny = { deny: ['Read(.env)'] };
  const named = [
    'git show HEAD:.env',
    'git show HEAD:./.env',
    'git show :.env',
    'git show :0:.env',
    'git cat-file -p HEAD:deep/.env',
    'git blame .env',
    'git log -p -- .env',
    'git diff HEAD -- .env',
    'git log -L1,5:.env',
    'git -C deep show HEAD:.env',
    'git diff .ENV',
  ];
  for (const command of named) expect([command, on(command, deny)]).toEqual([command, 'deny']);
  for (const command of ["git log -p -- '.e*'", 'git show $(echo HEAD:.env)', 'r=$(x); git show $r'])
    expect([command, on(command, deny)]).toEqual([command, 'ask']);
  for (const command of [
    'git show HEAD:src/a.ts',
    'git log -p',
    'git diff',
    'git log -- .env',
    'git blame src/a.ts',
  ])
    expect([command, on(command, deny)]).toEqual([command, 'allow']);
});

test('what git keeps and a rule refuses is asked about where a command shows all that changed', () => {
  const look = { ...emptyLook, tracked: () => ['/repo/src/a.ts', '/repo/deep/.env'] };
  const more = { deny: ['Read(.env)'], workspace: { look } };
  const wide = [
    ...['git log -p', 'git diff', 'git show', 'git grep x', 'git stash show -p', 'git log -p -- .'],
    ...[
      'git show :/first',
      "git show 'HEAD^{/fix: it}'",
      'git diff :!src',
      'git grep x HEAD:.',
      'git log -p -- deep',
    ],
    ...['git diff HEAD~1:. HEAD:.', 'git grep x HEAD:deep', 'git log --cc :/first', "git show ':(top)'"],
  ];
  for (const command of wide) expect([command, on(command, more)]).toEqual([command, 'ask']);
  for (const command of ['git log', 'git diff --stat', 'git log -p -- src', 'git show HEAD:src/a.ts'])
    expect([command, on(command, more)]).toEqual([command, 'allow']);
});

gitTest('the index of git is read in every format, and another one is not guessed', async () => {
  const root = temporaryDirectory().path;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  const names = ['a', 'dir/b.txt', 'dir/ümlaut', `long/${'x'.repeat(200)}`, 'z'];
  for (const name of names) {
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), '');
  }
  expect(openTrackedFiles().files(root)).toEqual([]);
  git('add', '-A');
  for (const format of ['2', '4']) {
    git('update-index', '--index-version', format);
    expect(
      openTrackedFiles()
        .files(join(root, 'dir'))
        ?.map((path) => path.slice(root.length + 1)),
    ).toEqual(names);
  }
  git('add', '-N', 'a');
  writeFileSync(join(root, '.git/index'), 'DIRC');
  expect(openTrackedFiles().files(root)).toBeUndefined();
  expect(openTrackedFiles().files('/')).toEqual([]);
});

test('a research role is refused what it cannot see of git', () => {
  const look: Look = { ...emptyLook, tracked: () => untold };
  expect(on('git log -p', { role: exploreRole, workspace: { look } })).toBe('deny');
  expect(on('git log', { role: exploreRole, workspace: { look } })).toBe('allow');
});
