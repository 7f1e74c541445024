import { expect } from 'bun:test';
import { chmodSync, existsSync } from 'node:fs';
import { needs } from '../support/index.ts';
import { type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { allow: ['Bash(git:*)'] };

/** On `main` a repository of plain files with a hook; on `plain`, which is checked out, nothing. */
function openGround(): GitGround {
  const ground = openGitGround({ 'a.txt': 'a\n' });
  ground.run('git branch plain');
  ground.put('evil.git/HEAD', 'ref: refs/heads/main\n');
  ground.put('evil.git/objects/.keep');
  ground.put('evil.git/refs/.keep');
  ground.put('evil.git/config', '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  ground.put('evil.git/hooks/pre-receive', '#!/bin/sh\ntouch ../ran\n');
  chmodSync(`${ground.root}/evil.git/hooks/pre-receive`, 0o755);
  ground.run('git add -A && git commit -qm second && git checkout -q plain');
  return ground;
}

const verdict = (ground: GitGround, line: string, allow = rules.allow) =>
  ground.judge(line, { allow }).split(' ')[0];

gitTest('a push after a line brought the repository that it goes to is asked about', () => {
  const ground = openGround();
  const lines = [
    'git checkout main && git push evil.git main',
    'git switch main; git push ./evil main',
    'git worktree add y main && git push y/evil.git main',
    ...['merge main', 'rebase main', 'reset --hard main', 'pull', 'stash pop', 'cherry-pick main'].map(
      (first) => `git ${first} && git push evil.git main`,
    ),
    'git checkout main && git fetch evil.git',
    'git switch main & git push evil.git main',
    'for b in main plain; do git push evil.git $b; git switch $b; done',
    'sleep 1; git push evil.git main',
    'git switch main; git -C evil.git add a.txt',
    'git checkout main && cd evil.git && git add a.txt',
    `git switch main; git push file://${ground.root}/evil.git main`,
  ];
  for (const line of lines) expect([line, verdict(ground, line)]).toEqual([line, 'ask']);
  ground.run('git push evil.git main');
  expect(existsSync(`${ground.root}/ran`)).toBe(false);
  ground.run('git checkout -q main && git push evil.git main');
  expect(existsSync(`${ground.root}/ran`)).toBe(true);
});

gitTest('a push after a line set where it goes is asked about', () => {
  const ground = openGround();
  ground.run('git checkout -q main');
  for (const line of [
    'git config branch.main.remote evil.git; git config branch.main.merge refs/heads/main; git push',
    'git config branch.main.remote evil.git && git push',
    'git config branch.main.remote evil.git && git fetch',
    'git config branch.main.remote evil.git && git pull',
    'git config branch.main.remote evil.git; git commit -m x; git push',
    'git remote remove origin; git push evil main',
    'git config branch.main.remote "$(cat a.txt)" && git push',
    'git push & git config branch.main.remote evil.git',
  ])
    expect([line, verdict(ground, line)]).toEqual([line, 'ask']);
});

gitTest('a name that the line takes from the remotes is a path', () => {
  const ground = openGround();
  ground.run('git checkout -q main && git mv evil.git origin && git commit -qm third');
  ground.run('git remote add origin https://example.com/x.git');
  expect(verdict(ground, 'git push origin main')).toBe('allow');
  expect(verdict(ground, 'git remote remove origin && git push origin main')).toBe('ask');
});

gitTest('settings in a file of the checkout may change where a push goes', () => {
  const ground = openGround();
  ground.run('git remote add origin https://example.com/x.git && git config include.path ../common');
  expect(verdict(ground, 'git push origin main')).toBe('allow');
  expect(verdict(ground, 'git switch main && git push origin main')).toBe('ask');
});

gitTest('everyday pushes to another machine are covered by their rule', () => {
  const ground = openGround();
  ground.run('git remote add origin https://example.com/x.git && git remote add up git@example.com:x/y.git');
  for (const line of [
    'git add -A && git commit -m x && git push',
    'git pull --rebase && git push origin main',
    'git checkout main && git push',
    'git switch main && git push -u origin main',
    'git checkout main && git push up main',
    'git fetch origin && git rebase origin/main && git push --force-with-lease origin plain',
    'git checkout -b new && git push -u origin new',
    'git remote add other https://example.com/z.git && git push other main',
    'git config user.name me && git commit -m x && git push',
    'git stash && git pull && git stash pop',
    'git checkout main && git push git@example.com:x/y.git main',
  ])
    expect([line, verdict(ground, line)]).toEqual([line, 'allow']);
});
