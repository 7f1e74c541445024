import { expect } from 'bun:test';
import { needs } from '../support/index.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const rules = { allow: ['Bash(git:*)'], deny: ['Edit(keep/**)'] };

gitTest('putting the work tree back is not free where a rule refuses changing a tracked file', () => {
  const ground = openGitGround({ 'keep/a.txt': 'a\n', 'src/b.txt': 'b\n' });
  const verdict = (line: string) => ground.judge(line, rules).split(' ')[0];
  for (const line of [
    ...[
      'git reset --hard',
      'git reset --hard HEAD',
      'git reset -q --hard',
      'git restore .',
      'git restore :/',
    ],
    ...[
      "git restore '*.txt'",
      'git restore --staged --worktree .',
      'git checkout .',
      'git checkout HEAD -- .',
    ],
    ...['git checkout-index -f -a', 'git checkout-index -f keep/a.txt', "printf 'a\\n' | git checkout -p"],
    ...['git sparse-checkout set src', 'git sparse-checkout add src', 'git sparse-checkout reapply'],
    ...['git restore -p', 'git merge --abort', 'git rebase --abort', 'git cherry-pick --skip'],
    ...['git bisect reset', 'git submodule deinit -f --all', 'git read-tree -u --reset HEAD', 'git rerere'],
    ...["git restore ':!src'", "git checkout ':(top)keep'", 'git stash push -m list', 'git stash -m show'],
    ...['git checkout -f', 'git -C src restore ..', 'git stash', 'git stash pop', 'git switch -f main'],
  ])
    expect([line, verdict(line)]).not.toEqual([line, 'allow']);
  for (const line of [
    ...['git restore src', 'git restore src/b.txt', 'git checkout -- src/b.txt', 'git -C src restore .'],
    ...[
      'git reset',
      'git reset HEAD src/b.txt',
      'git restore --staged .',
      'git stash list',
      'git switch -c topic',
    ],
    ...[
      'git checkout -b topic',
      'git add src',
      'git commit -m x',
      "git checkout -- ':/src'",
      'git sparse-checkout list',
    ],
    ...['git checkout-index -f src/b.txt', 'git write-tree', 'git update-ref refs/x HEAD'],
    ...['git log -1', 'git grep b', 'git ls-files', 'git rm src/b.txt', 'git checkout', 'git merge --quit'],
  ])
    expect([line, verdict(line)]).toEqual([line, 'allow']);
});

gitTest('and free where it refuses none of them', () => {
  const ground = openGitGround({ 'src/b.txt': 'b\n' });
  for (const line of ['git reset --hard', 'git restore .', 'git checkout .', 'git stash'])
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'allow']);
});

gitTest('going to another commit is not free where a rule refuses changing a tracked file', () => {
  const ground = openGitGround({ 'keep/a.txt': 'a\n', 'src/b.txt': 'b\n' });
  for (const line of [
    ...['git switch main', 'git switch -c topic main', 'git checkout main', 'git checkout -b topic main'],
    ...['git merge main', 'git pull', 'git pull --ff-only', 'git rebase main', 'git rebase --continue'],
    ...['git cherry-pick main', 'git revert HEAD', 'git switch -', 'git checkout main --'],
    ...[
      "git checkout ':/first'",
      'git checkout -',
      'git checkout --detach main',
      'git checkout -b topic main --',
    ],
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).not.toEqual([line, 'allow']);
});

gitTest('and going to another commit is free where it refuses none of them', () => {
  const ground = openGitGround({ 'src/b.txt': 'b\n' });
  for (const line of ['git switch main', 'git checkout main', 'git merge main', 'git rebase main'])
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'allow']);
});
