import { expect, test } from 'bun:test';
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { judge, shell } from './cases.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const anyGit = ['Bash(git:*)'];
const behaviour = (line: string, allow = anyGit, mode: 'default' | 'acceptEdits' | 'auto' = 'default') =>
  judge({ accesses: [shell(line)], allow, mode }).behaviour;

/** Each runs a program that the line names, or one of the machine that the user did not mean by git. */
const running = [
  ...["git remote-ext origin 'touch pwned'", 'git remote-fd origin 3', 'git remote-https origin ./x'],
  ...[
    'git merge-index ./tool.sh -a',
    'git merge-index -o ./tool.sh a',
    'git merge-octopus a',
    'git merge-one-file a',
  ],
  ...[
    "git submodule--helper foreach 'touch pwned'",
    "git bisect--helper --bisect-visualize 'x'",
    'git difftool--helper',
  ],
  ...[
    'git maintenance start',
    'git maintenance register',
    'git for-each-repo --config=x gc',
    'git for-each-repo gc',
  ],
  ...[
    'git credential fill',
    'git credential-store get',
    'git credential-cache exit',
    'git fsmonitor--daemon start',
  ],
  ...[
    'git daemon',
    'git instaweb',
    'git web--browse x',
    'git http-backend',
    'git shell',
    'git upload-pack .',
  ],
  ...['git receive-pack .', 'git upload-archive .', 'git http-push x', 'git send-pack x', 'git fetch-pack x'],
  ...[
    'git hook run pre-commit',
    'git lfs install',
    'git svn clone x',
    'git p4 sync',
    'git cvsserver',
    'git subtree add x',
  ],
  ...[
    'git mergetool',
    'git difftool',
    'git difftool HEAD',
    'git mergetool a',
    'git send-email',
    'git send-email x',
  ],
  ...[
    'git help status',
    'git gui',
    'git citool',
    'git imap-send',
    'git request-pull v1 x',
    'git quiltimport',
  ],
  ...[
    'git filter-branch',
    'git filter-branch --all',
    'git filter-repo',
    'git sh-setup',
    'git co main',
    'git LOG',
    'git x',
  ],
  ...[
    'git bisect run ./x',
    'git bisect visualize',
    'git bisect visualize gitx/../x',
    'git bisect view x',
    'git bisect replay x',
  ],
  ...[
    'git submodule foreach ./x',
    'git submodule --quiet foreach ./x',
    'git -C sub bisect run ./x',
    'git config --list',
  ],
  ...[
    'git scalar',
    'git env--helper',
    'git checkout--worker',
    'git mergetool--lib',
    'git __proto__',
    'git constructor',
  ],
];

test.each(running)('%s is not covered by a rule for git', (line) => {
  for (const mode of ['default', 'acceptEdits', 'auto'] as const)
    expect([mode, behaviour(line, anyGit, mode)]).toEqual([mode, 'ask']);
});

gitTest(
  'every command that this git has is covered by a rule for git, or one of those that are known not to be',
  () => {
    const ground = openGitGround({ 'a.txt': 'a\n' });
    const known = new Set(running.map((line) => line.split(' ')[1]));
    const names = ground.run('git --list-cmds=main,others,nohelpers').split('\n').filter(Boolean);
    const open = names.filter((name) => behaviour(`git ${name} a`) === 'allow');
    expect(open.filter((name) => known.has(name) && !/^(?:bisect|submodule|config)$/.test(name))).toEqual([]);
    expect(open).toContain('commit');
  },
);

gitTest('git runs a program that the words of some of them name', () => {
  const ground = openGitGround({ 'a.txt': 'a\n', 'tool.sh': '#!/bin/sh\ntouch pwned-$1\n', 'gitx/a': '' });
  chmodSync(join(ground.root, 'tool.sh'), 0o755);
  const lines = {
    ext: "printf 'connect git-upload-pack\\n' | git remote-ext origin 'touch pwned-ext'",
    '--bisect':
      'git commit -q --allow-empty -m 2; git bisect start HEAD HEAD~1; git bisect visualize gitx/../tool.sh',
    index: `printf '100644 %s 1\\ta.txt\\n' $(git rev-parse HEAD:a.txt) | git update-index --index-info; git merge-index ./tool.sh -a`,
  };
  for (const [name, line] of Object.entries(lines)) {
    ground.run(line);
    expect([name, behaviour(line)]).toEqual([name, 'ask']);
  }
  const made = ground.run('ls -d pwned*').trim().split('\n');
  expect(made.length).toBe(3);
  expect(existsSync(join(ground.root, 'pwned-ext'))).toBe(true);
});

test('an address that a helper of its name would read is not covered', () => {
  for (const line of [
    'git fetch ext::./x',
    'git fetch ext://./x',
    'git clone fd://3',
    'git remote add o x.y+z://a',
  ])
    expect([line, behaviour(line)]).toEqual([line, 'ask']);
  for (const scheme of ['https', 'http', 'ssh', 'git', 'git+ssh'])
    expect([scheme, behaviour(`git clone ${scheme}://a.example/x.git`)]).toEqual([scheme, 'allow']);
  expect(behaviour('git clone git@a.example:x/y.git')).toBe('allow');
});

test('a rule that spells a subcommand covers it', () => {
  expect(behaviour('git maintenance start', ['Bash(git maintenance:*)'])).toBe('allow');
  expect(behaviour('git lfs install', ['Bash(git lfs:*)'])).toBe('allow');
  expect(behaviour('git mergetool', ['Bash(git mergetool)'])).toBe('allow');
  expect(behaviour('git co main', ['Bash(git co *)'])).toBe('allow');
  expect(behaviour('git -C sub lfs pull', ['Bash(git -C sub:*)'])).toBe('ask');
  expect(behaviour('git bisect run make', ['Bash(git bisect run make:*)'])).toBe('allow');
});

test('a star in a rule does not cover the words that decide what runs', () => {
  expect(behaviour('git bisect run ./x main', ['Bash(git * main)'])).toBe('ask');
  expect(behaviour('git submodule foreach ./x main', ['Bash(git submodule * main)'])).toBe('ask');
  expect(behaviour('git merge-index ./x main', ['Bash(git * main)'])).toBe('ask');
  expect(behaviour('git config core.pager ./main main', ['Bash(git * main)'])).toBe('ask');
});

const everyday = [
  ...[
    'git status',
    'git log -p',
    'git diff',
    'git show',
    'git blame f',
    'git branch -a',
    'git stash list',
    'git remote -v',
  ],
  ...[
    'git rev-parse HEAD',
    'git ls-files',
    'git grep x',
    'git shortlog -sn',
    'git describe',
    'git tag',
    'git worktree list',
  ],
  ...[
    'git add -A',
    'git add a b',
    'git commit -m x',
    'git commit --amend --no-edit',
    'git push',
    'git push origin main',
  ],
  ...[
    'git pull',
    'git pull --rebase',
    'git fetch origin',
    'git checkout main',
    'git checkout -b x',
    'git switch -c x',
    'git merge x',
  ],
  ...[
    'git rebase main',
    'git rebase --continue',
    'git stash',
    'git stash pop',
    'git cherry-pick abc',
    'git revert HEAD',
  ],
  ...[
    'git restore a',
    'git reset --hard HEAD~1',
    'git tag v1',
    'git tag -a v1 -m x',
    'git branch x',
    'git branch -D x',
  ],
  ...[
    'git clone https://a.example/x.git',
    'git worktree add -b x wt',
    'git submodule update --init',
    'git submodule',
  ],
  ...[
    'git mv a b',
    'git rm a',
    'git clean -fd build',
    'git format-patch -1',
    'git bisect start',
    'git bisect good',
    'git bisect reset',
  ],
  ...[
    'git init',
    'git gc',
    'git notes list',
    'git reflog',
    'git sparse-checkout set src',
    'git config user.name',
    'git stage a',
  ],
  ...[
    'git read-tree HEAD',
    'git update-index --refresh a',
    'git write-tree',
    'git hash-object a',
    'git pack-refs --all',
    'git version',
  ],
];

test.each(everyday.filter((line) => !/--refresh/.test(line)))('%s is covered by a rule for git', (line) => {
  expect(behaviour(line)).toBe('allow');
});
