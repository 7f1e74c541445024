import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { allow: ['Bash(git:*)'] };
const verdict = (ground: GitGround, line: string) => ground.judge(line, rules).split(' ')[0];

const lines = [
  ...[
    'git rm a.txt',
    'git rm',
    'git mv a.txt b.txt',
    'git stash',
    'git add a.txt',
    'git commit -m x',
    'git fetch',
  ],
  ...[
    'git checkout .',
    'git reset --hard',
    'git merge x',
    'git status && git commit -m x',
    '(cd d; git mv x.txt y.txt)',
  ],
  ...[
    'git push && git diff-tree HEAD:d',
    'git push; git status',
    'git gc',
    'git worktree add w',
    'git -C d rm x.txt',
  ],
];

const files = { 'a.txt': 'a\n', 'd/x.txt': 'x\n' };

const set = [
  ['core.fsmonitor', './watch'],
  ['core.fsmonitor', 'node ./tools/watch'],
  ['filter.e.clean', './f'],
  ['filter.e.smudge', 'sh -c f'],
  ['filter.e.process', 'tools/git-lfs'],
  ['filter.e.clean', 'git-lfs clean; ./f'],
  ['filter.e.clean', '/usr/../tmp/git-crypt'],
  ['merge.e.driver', './m %O %A %B'],
  ['diff.external', './d'],
  ['interactive.diffFilter', './d'],
] as const;

for (const [key, value] of set)
  gitTest(`a rule for git is not one for a program that the repository sets (${key} = ${value})`, () => {
    const ground = openGitGround(files);
    for (const line of lines) expect([line, verdict(ground, line)]).toEqual([line, 'allow']);
    ground.run(`git config ${key} '${value}'`);
    for (const line of lines) expect([line, verdict(ground, line)]).toEqual([line, 'ask']);
    for (const line of [
      'git push',
      'git branch x',
      'git tag v1',
      'git config user.name x',
      'git push && git ls-remote',
    ])
      expect([line, verdict(ground, line)]).toEqual([line, 'allow']);
  });

gitTest('nor where an included file, a git directory of another name or a submodule sets it', () => {
  for (const make of [
    'git config include.path ../inc; git config -f inc core.fsmonitor ./watch',
    'git config core.fsmonitor ./watch; mv .git meta; echo gitdir: meta > .git',
    'git init -q sub; git -C sub commit -q --allow-empty -m x; git add sub 2> /dev/null; git -C sub config core.fsmonitor ./watch',
  ]) {
    const ground = openGitGround(files);
    ground.run(make);
    expect([make, verdict(ground, 'git rm a.txt')]).toEqual([make, 'ask']);
  }
});

gitTest(
  'lines that only look have it switched off, and hooks and well-known filters need no question',
  () => {
    const ground = openGitGround(files);
    ground.run('git config core.fsmonitor ./watch');
    for (const line of ['git status', 'git log -p', 'git ls-files && git diff --stat'])
      expect([line, ground.judge(line)]).toEqual([line, 'allow allow']);
    ground.run(
      "git config core.fsmonitor true; git config core.hooksPath .husky; git config filter.lfs.clean 'git-lfs clean -- %f'",
    );
    ground.run(
      'git config filter.git-crypt.smudge \'"git-crypt" smudge\'; git config merge.ours.driver true; git config filter.lfs.required true',
    );
    for (const line of lines) expect([line, verdict(ground, line)]).toEqual([line, 'allow']);
  },
);
