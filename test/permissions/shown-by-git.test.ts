import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookAtFiles } from '../../src/shell/look-files.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { type Case, judge } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');

/** A repository whose `.env` is tracked and changed. */
function repository() {
  const root = temporaryDirectory().path;
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      encoding: 'utf8',
    });
  git('init', '-q');
  writeFileSync(join(root, '.env'), 'TOKEN=old\n');
  git('add', '-A');
  git('commit', '-qm', 'a');
  writeFileSync(join(root, '.env'), 'TOKEN=new\n');
  const workspace = {
    cwd: root,
    directories: [],
    realPath: resolveRealPath,
    look: lookAtFiles([root]),
  };
  const verdict = (command: string, more: Partial<Case> = {}) =>
    judge({ accesses: [{ kind: 'shell', command, cwd: root }], workspace, deny: ['Read(.env)'], ...more })
      .behaviour;
  return { git, verdict };
}

gitTest('git diff -q shows the changes of files, so a deny rule holds', () => {
  const { git, verdict } = repository();
  expect(git('diff', '-q')).toContain('TOKEN=new');
  for (const command of ['git diff -q', 'git diff -q -- .env', 'git diff -q --exit-code'])
    expect([command, verdict(command)]).not.toEqual([command, 'allow']);
  expect(verdict('git diff --stat')).toBe('allow');
  expect(verdict('git diff --quiet')).toBe('allow');
});

gitTest('under a rule for git, an unknown option does not lift a deny rule', () => {
  const { verdict } = repository();
  for (const [rule, command] of [
    ['Bash(git diff:*)', 'git diff --no-color-moved'],
    ['Bash(git diff:*)', 'git diff --output-indicator-new=+'],
    ['Bash(git log:*)', 'git log -p -1 --no-color-moved'],
    ['Bash(git:*)', 'git log --remerge-diff'],
    ['Bash(git:*)', 'git show --unheard-of'],
    ['Bash(git:*)', 'git cat-file --batch-all-objects --batch'],
    ['Bash(git:*)', 'git archive HEAD'],
    ['Bash(git:*)', 'git format-patch --stdout -1'],
    ['Bash(git:*)', 'git commit -v -m x'],
    ['Bash(git:*)', 'git stash show -p'],
  ] as const)
    expect([command, verdict(command, { allow: [rule] })]).not.toEqual([command, 'allow']);
  for (const command of [
    'git commit -m x',
    'git add -A',
    'git push origin main',
    'git log --oneline',
    'git fetch',
  ])
    expect([command, verdict(command, { allow: ['Bash(git:*)'] })]).toEqual([command, 'allow']);
});

gitTest('a rule for git diff does not cover options that look into submodules', () => {
  const { verdict } = repository();
  for (const command of [
    'git diff --submodule=diff --ignore-submodules=none',
    'git diff --ignore-submodules=none',
    'git diff --submodule',
    'git diff --submod=diff',
  ])
    expect([command, verdict(command, { allow: ['Bash(git diff:*)'], deny: [] })]).toEqual([command, 'ask']);
});

gitTest('a file that is opened for reading and writing is read', () => {
  const { verdict } = repository();
  for (const command of ['cat <> .env', 'while read -r x; do echo x; done <> .env', 'wc -c <> .env'])
    expect([command, verdict(command, { mode: 'acceptEdits' })]).toEqual([command, 'deny']);
});

gitTest('a filter that is given a file prints what is in the file', () => {
  const { verdict } = repository();
  for (const command of ['echo $(date | sort 5)', 'echo $(date | tail -n 1 5)', 'echo $(date | tac 5)'])
    expect([command, verdict(command)]).toEqual([command, 'ask']);
  expect(verdict('echo $(date | sort -n | tail -n 1)')).toBe('allow');
});

gitTest('a commit that nothing leads to may hold what a rule refuses, and is asked about by its id', () => {
  const ground = openGitGround({ 'a.txt': 'one\n' });
  ground.put('.env', 'TOKEN=kept\n');
  const id = ground
    .run('git add -f .env && git stash -q && git rev-parse stash && git stash drop -q')
    .trim()
    .split('\n')[0];
  ground.run('git reflog expire --expire=now --all');
  expect(ground.run(`git show ${id}:.env`)).toContain('TOKEN=kept');
  const deny = ['Read(.env)'];
  for (const line of [
    `git diff-tree -p ${id}`,
    `git show ${id}`,
    `git log -p ${id?.slice(0, 9)}`,
    `git diff HEAD ${id}`,
  ])
    expect([line, ground.judge(line, { deny })]).not.toEqual([line, expect.stringContaining('allow')]);
  expect(ground.judge('git log -p', { deny })).toBe('allow allow');
});

gitTest(
  'a rule with a whole command covers its options, but not a protected path behind an abbreviated one',
  () => {
    const { verdict } = repository();
    for (const command of [
      'git diff --stat --outpu=.npmrc',
      'git log -1 --outp .npmrc',
      'git diff --stat --output=.npmrc',
    ])
      expect([command, verdict(command, { deny: [], allow: [`Bash(${command})`] })]).toEqual([
        command,
        'ask',
      ]);
    const free = 'git log -1 --outp=out.txt';
    expect(verdict(free, { deny: [], allow: [`Bash(${free})`] })).toBe('allow');
  },
);

gitTest('options that lift the limit of paths, or make a stash show its changes, lift no deny rule', () => {
  const { git, verdict } = repository();
  git('stash', '-q');
  expect(git('grep', '-h', '--', 'TOKEN')).toContain('TOKEN=old');
  expect(git('stash', 'show', '-a')).toContain('TOKEN=new');
  for (const command of [
    ...['git grep -v -- src', 'git grep -h -- TOKEN', 'git grep -v -- src HEAD'],
    ...[
      'git log -p --full-diff -- src',
      'git show --full-diff HEAD -- src',
      'git log --full-diff -p HEAD -- a.ts',
    ],
    ...[
      'git stash show -a',
      'git stash show -C',
      'git stash show -w',
      'git stash show --no-ext-diff',
      'git stash show -3',
    ],
  ])
    expect([command, verdict(command)]).not.toEqual([command, 'allow']);
  for (const command of [
    'git stash show',
    'git stash show --stat',
    'git grep TOKEN -- src',
    'git log -p -- src',
    'git stash list',
  ])
    expect([command, verdict(command)]).toEqual([command, 'allow']);
});
