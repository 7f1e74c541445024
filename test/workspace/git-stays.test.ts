import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findGitStray } from '../../src/workspace/git/stays.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');

function git(cwd: string, ...args: string[]): string {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  return execFileSync('git', [...own, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
    stdio: 'pipe',
    encoding: 'utf8',
  });
}

/** A repository with one commit, and beside it another one that is nobody's business. */
function repositories(): { root: string; other: string } {
  const { path } = temporaryDirectory();
  const make = (name: string) => {
    const root = join(path, name);
    mkdirSync(join(root, 'sub'), { recursive: true });
    git(root, 'init', '-q');
    writeFileSync(join(root, 'a.txt'), `${name}\n`);
    git(root, 'add', '.');
    git(root, 'commit', '-qm', name);
    return root;
  };
  return { root: make('own'), other: make('other') };
}

gitTest('an ordinary repository stays, seen from any directory of it', () => {
  const { root } = repositories();
  git(root, 'remote', 'add', 'include', 'https://example.com/worktree.git');
  git(root, 'config', 'branch.worktree.remote', 'include');
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  git(root, 'config', '--worktree', 'core.sparseCheckout', 'true');
  git(root, 'config', 'blame.ignoreRevsFile', '.git-blame-ignore-revs');
  symlinkSync('../../sub', join(root, '.git/hooks/mine'));
  const plainView = () => ({ plain: new Map(), words: ['git', 'status'] });
  expect(
    [root, join(root, 'sub'), join(root, 'missing')].map((path) => findGitStray(path, plainView())),
  ).toEqual([undefined, undefined, undefined]);
});

gitTest('a linked worktree and a submodule stay: what they belong to points back', () => {
  const { root, other } = repositories();
  git(root, 'worktree', 'add', '-q', '../linked');
  git(root, 'submodule', '--quiet', 'add', other, 'module');
  expect(findGitStray(join(root, '../linked'))).toBeUndefined();
  expect(findGitStray(join(root, 'module'))).toBeUndefined();
  // Git writes the work tree of a submodule as a path relative to its data.
  expect(git(join(root, 'module'), 'config', 'core.worktree')).toContain('..');
});

gitTest('a directory outside of any repository stays', () => {
  expect(findGitStray(temporaryDirectory().path)).toBeUndefined();
});

const ways: readonly (readonly [string, (root: string, other: string) => void])[] = [
  ['its work tree is elsewhere', (root, other) => git(root, 'config', 'core.worktree', other)],
  ['its work tree is above', (root) => git(root, 'config', 'core.worktree', '../..')],
  ['on the line of its section', (root, other) => appendTo(root, `[core] WorkTree = ${other}\n`)],
  ['in quotes', (root, other) => appendTo(root, `[core]\n\tworktree = "${other}"\n`)],
  ['in the settings of the worktree', (root, other) => worktreeSetting(root, other)],
  ['in a file that is included', (root, other) => included(root, other)],
  [
    'settings outside are included',
    (root, other) => git(root, 'config', 'include.path', join(other, 'a.txt')),
  ],
  ['under a condition', (root) => appendTo(root, '[includeIf "gitdir:/"]\n\tpath = /etc/x\n')],
  ['from the home', (root) => appendTo(root, '[include]\n\tpath = ~/x\n')],
  ['its data is that of another one', (root, other) => pointTo(root, join(other, '.git'))],
  ['its data is a link', (root, other) => replace(root, '.git', join(other, '.git'))],
  [
    'it says to share the data of another one',
    (root, other) => writeFileSync(join(root, '.git/commondir'), `${other}/.git\n`),
  ],
  ['its data is a worktree of another one', (root, other) => worktreeOf(root, other)],
  ['its objects are a link', (root, other) => replace(root, '.git/objects', join(other, '.git/objects'))],
  [
    'some objects are a link',
    (root, other) => replace(root, '.git/objects/pack', join(other, '.git/objects')),
  ],
  ['its index is a link', (root, other) => replace(root, '.git/index', join(other, '.git/index'))],
  ['its log is a link', (root, other) => replace(root, '.git/logs/HEAD', join(other, '.git/logs/HEAD'))],
  ['its settings are a link', (root, other) => replace(root, '.git/config', join(other, '.git/config'))],
  ['it shares objects', (root, other) => alternates(root, `${other}/.git/objects\n`)],
  ['it shares objects, in quotes', (root, other) => alternates(root, `"${other}/.git/objects"\n`)],
  ['it is a bare repository without that name', (root) => bare(root)],
];

for (const [name, plant] of ways)
  gitTest(`a repository strays: ${name}`, () => {
    const { root, other } = repositories();
    plant(root, other);
    expect([typeof findGitStray(root), typeof findGitStray(join(root, 'sub'))]).toEqual(['string', 'string']);
  });

function appendTo(root: string, text: string): void {
  appendFileSync(join(root, '.git/config'), text);
}

function replace(root: string, name: string, target: string): void {
  rmSync(join(root, name), { recursive: true, force: true });
  symlinkSync(target, join(root, name));
}

function pointTo(root: string, target: string): void {
  rmSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git'), `gitdir: ${target}\n`);
}

function worktreeSetting(root: string, other: string): void {
  git(root, 'config', 'extensions.worktreeConfig', 'true');
  writeFileSync(join(root, '.git/config.worktree'), `[core]\n\tworktree = ${other}\n`);
}

function included(root: string, other: string): void {
  writeFileSync(join(root, 'more'), `[core]\n\tworktree = ${other}\n`);
  git(root, 'config', 'include.path', '../more');
}

/** Data of our own that claims to be a worktree of the other repository. */
function worktreeOf(root: string, other: string): void {
  mkdirSync(join(root, 'data'));
  writeFileSync(join(root, 'data/HEAD'), 'ref: refs/heads/master\n');
  writeFileSync(join(root, 'data/commondir'), `${other}/.git\n`);
  writeFileSync(join(root, 'data/gitdir'), `${root}/.git\n`);
  pointTo(root, join(root, 'data'));
}

function alternates(root: string, text: string): void {
  mkdirSync(join(root, '.git/objects/info'), { recursive: true });
  writeFileSync(join(root, '.git/objects/info/alternates'), text);
}

function bare(root: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(root, 'sub', name));
  writeFileSync(join(root, 'sub/HEAD'), 'ref: refs/heads/main\n');
  git(join(root, '..'), 'clone', '-q', '--bare', root, join(root, 'bare'));
  rmSync(join(root, '.git'), { recursive: true });
  for (const name of ['objects', 'refs', 'HEAD']) replace(root, name, join(root, 'bare', name));
}

gitTest('an object that is a link to one of another repository leads elsewhere', () => {
  const { root, other } = repositories();
  const plain = new Map();
  expect(findGitStray(root, { plain })).toBeUndefined();
  const id = git(other, 'rev-parse', 'HEAD:a.txt').trim();
  const name = join('.git/objects', id.slice(0, 2), id.slice(2));
  mkdirSync(join(root, name, '..'), { recursive: true });
  symlinkSync(join(other, name), join(root, name));
  expect(git(root, 'cat-file', '-p', id)).toBe('other\n');
  expect(findGitStray(root, { plain })).toContain('is a link');
});

/** A line of settings, and the name of the file that git takes it for. One character is one byte. */
const readByGit: readonly (readonly [form: string, line: string, file: string])[] = [
  ['a form feed at its end', 'path = ../more\f\n', 'more\f'],
  ['a space at its end that is not plain', 'path = ../more\xc2\xa0\n', 'more\xc2\xa0'],
  ['a byte that is not UTF-8', 'path = ../more\xff\n', 'more\xff'],
  ['a lone carriage return', 'path = ../more\r', 'more'],
  ['an escape', 'path = ../mo\\\nre\n', 'more'],
  ['a comment behind it', 'path = ../more # x\n', 'more'],
  ['the line of its section', '[include "x"] x = 1\n[include] path = ../more\n', 'more'],
];

for (const [form, line, file] of readByGit)
  gitTest(`a name of settings is the one that git reads, or the repository strays: ${form}`, () => {
    const { root, other } = repositories();
    appendFileSync(join(root, '.git/config'), Buffer.from(`[include]\n\t${line}`, 'latin1'));
    const settings = Buffer.from(`[core]\n\tworktree = ${other}\n`);
    writeFileSync(Buffer.from(join(root, file), 'latin1'), settings);
    expect(git(root, 'config', 'core.worktree').trim()).toBe(other);
    expect(typeof findGitStray(root)).toBe('string');
  });

gitTest('settings that only speak of other files stay', () => {
  const { root } = repositories();
  appendTo(root, '# [include] path = /etc/x\n[alias]\n\tx = "!echo worktree = [include] # y" ; [include\n');
  expect(findGitStray(root)).toBeUndefined();
  expect(git(root, 'config', 'alias.x')).toContain('[include] # y');
});
