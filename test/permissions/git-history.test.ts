import { expect } from 'bun:test';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../support/index.ts';
import { judge } from './cases.ts';
import { expectJudged, type GitGround, openGitGround } from './git-ground.ts';

const gitTest = needs('git');

const openGround = () => openGitGround({ 'src/a.ts': 'text\n' });

/** A file that was committed once, and that git no longer keeps. */
function openGroundWithPast(): GitGround & { blob: string } {
  const ground = openGround();
  ground.put('.env', 'KEY=hunter2\n');
  ground.run('git add -f .env && git commit -qm second && git rm -q --cached .env && git commit -qm third');
  ground.put('.gitignore', '.env\n');
  ground.run('git add .gitignore && git commit -qm fourth');
  return { ...ground, blob: ground.run('git rev-parse HEAD~2:.env').trim() };
}

gitTest('G9 names that git prints of its history are not names of files that a search found', () => {
  const ground = openGround();
  ground.put('x /etc/hostname');
  ground.run('git add . && git commit -qm odd && git rm -qr "x " && git commit -qm gone');
  expect(ground.run('git diff --name-only HEAD~1 | xargs echo')).toContain(' /etc/hostname');
  const lines = [
    'git diff --name-only HEAD~1 | xargs cat',
    'git diff --name-only HEAD~1 | head -3 | xargs wc -l',
    'git diff --name-only HEAD~1 | xargs grep -n x',
    'git diff --name-only HEAD~1 -z | xargs -0 cat',
    'git log --name-only --format= | xargs cat',
    'git show --name-only --format= HEAD | xargs tail',
    'git diff-tree --name-only -r HEAD~1 HEAD | xargs cat',
    'git ls-tree --name-only -r HEAD~1 | xargs cat',
    'git ls-files --full-name | xargs cat',
    'cat $(git diff --name-only HEAD~1)',
    'for f in $(git diff --name-only HEAD~1); do cat "$f"; done',
    'git diff --name-only HEAD~1 | while read -r f; do cat "$f"; done',
    'f=$(git diff --name-only HEAD~1); cat "$f"',
  ];
  expectJudged(ground, lines, 'ask deny');
  expectJudged(
    ground,
    ['git diff --name-only HEAD~1', 'git ls-files | xargs wc -l', 'cat $(git ls-files src)'],
    'allow allow',
  );
});

gitTest(
  'G9 a name in the index that the shell would break is asked about, also when its file is gone',
  () => {
    const ground = openGround();
    ground.put('x /etc/hostname');
    ground.run('git add .');
    rmSync(join(ground.root, 'x '), { recursive: true });
    expect(ground.run('git ls-files | xargs echo')).toContain(' /etc/hostname');
    expectJudged(
      ground,
      ['git ls-files | xargs cat', 'cat $(git ls-files)', 'git ls-files -d | xargs cat'],
      'ask deny',
    );
    const whole = 'git ls-files | while IFS= read -r f; do cat "$f"; done';
    expect(ground.judge(whole)).toBe('allow allow');
  },
);

gitTest('G9 a directory of the index that became a link is not read by the names in the index', () => {
  const ground = openGround();
  ground.put('d/hostname');
  ground.run('git add .');
  rmSync(join(ground.root, 'd'), { recursive: true });
  symlinkSync('/etc', join(ground.root, 'd'));
  expect(ground.judge('git ls-files | xargs cat')).toBe('ask deny');
});

gitTest('G9 names that are separated by a zero byte are taken apart by xargs -0 alone', () => {
  const ground = openGround();
  expectJudged(
    ground,
    [
      'ls "$(find . . -maxdepth 0 -print0)"',
      'cat $(git ls-files -z)',
      'cat $(grep -rlZ x src)',
      'cat $(rg -l0 x src)',
      'find . -print0 | while IFS= read -r f; do cat "$f"; done',
    ],
    'ask deny',
  );
  expectJudged(
    ground,
    ['find . -type f -print0 | xargs -0 cat', 'git ls-files -z | xargs -0 wc -l'],
    'allow allow',
  );
});

const showing = [
  'git log -p',
  'git log -p -S KEY',
  'git log -S KEY=h --oneline',
  'git log -G KEY --stat',
  'git log --all -p',
  'git show HEAD~1',
  'git show HEAD~2',
  'git diff HEAD~2',
  'git diff HEAD~2 HEAD~1',
  'git diff HEAD~2..HEAD',
  'git grep KEY HEAD~2',
  'git diff-tree -p HEAD~1',
  'git log -p -- .',
  'git log -p main',
  'git range-diff HEAD~3..HEAD~2 HEAD~2..HEAD',
];

gitTest('G9 a credential file of the past is not shown to an agent to whom these are closed', () => {
  const ground = openGroundWithPast();
  expect(ground.run('git log -p')).toContain('hunter2');
  expectJudged(ground, showing, 'allow deny');
  expectJudged(ground, ['git ls-tree -r HEAD~2', 'git rev-list --objects HEAD'], 'allow deny');
  expect(ground.judge("git log -p -- '\\.e\\nv'")).toBe('allow deny');
  const fine = [
    'git log --oneline',
    'git log -p -- src',
    'git show HEAD:src/a.ts',
    'git status',
    'git diff',
    'git grep text',
  ];
  expectJudged(ground, fine, 'allow allow');
});

gitTest('G9 a file of the past that a rule refuses is asked about where a command may show it', () => {
  const ground = openGroundWithPast();
  const rules = { deny: ['Read(.env)'] };
  const asked = (line: string) => ground.judge(line, rules).split(' ')[0];
  for (const line of showing) expect([line, asked(line)]).toEqual([line, 'ask']);
  for (const line of ['git log -p -- src', 'git show HEAD:src/a.ts', 'git diff', 'git log --stat'])
    expect([line, asked(line)]).toEqual([line, 'allow']);
  // Nothing of this rule was ever kept.
  expect(ground.judge('git log -p', { deny: ['Read(other.txt)'] })).toBe('allow deny');
});

gitTest('G9 objects that are named by their ids may be files of any name', () => {
  const ground = openGroundWithPast();
  ground.run('git tag file $(git rev-parse HEAD~2:.env)~0 2>/dev/null');
  const { blob } = ground;
  expect(ground.run(`git show --stat ${blob}`)).toContain('hunter2');
  const lines = [
    `git cat-file -p ${blob}`,
    `git show ${blob.slice(0, 7)}`,
    `git show --stat ${blob}`,
    `git show ${blob} -- src`,
    `git diff ${blob} HEAD:src/a.ts`,
    `git grep KEY $(git rev-parse HEAD~2^{tree})`,
  ];
  for (const line of lines) {
    expect([line, ground.judge(line)]).toEqual([line, expect.stringMatching(/ deny$/)]);
    const asked = ground.judge(line, { deny: ['Read(.env)'] });
    expect([line, asked]).toEqual([line, 'ask deny']);
  }
  const commit = ground.run('git rev-parse --short HEAD').trim();
  expect(ground.judge(`git show --stat ${commit}`)).toBe('allow allow');
  expect(ground.judge(`git show ${commit} -- src`)).toBe('allow allow');
});

gitTest('G9 the past is in stashes, reflogs and other branches as well', () => {
  const places = [
    'git stash -qu',
    'git add -f .env && git stash -q',
    'git checkout -qb other && git add -f .env && git commit -qm o && git checkout -q main',
    'git add -f .env && git commit -qm o && git reset -q --hard HEAD~1',
    'git add -f .env && git commit -qm o && git tag t && git reset -q --hard HEAD~1 && git reflog expire --expire=now --all',
  ];
  for (const place of places) {
    const ground = openGround();
    expect(ground.judge('git log --all -p')).toBe('allow allow');
    ground.put('.env', 'KEY=hunter2\n');
    ground.run(place);
    rmSync(join(ground.root, '.env'), { force: true });
    expect([place, ground.judge('git log --all -p')]).toEqual([place, 'allow deny']);
  }
});

gitTest('G9 a tag may name a file itself', () => {
  const ground = openGround();
  expect(ground.judge('git show v1')).toBe('allow allow');
  ground.run('git tag v1 $(echo KEY=hunter2 | git hash-object -w --stdin)');
  expect(ground.run('git show --stat v1')).toContain('hunter2');
  expect(ground.judge('git show v1')).toBe('allow deny');
  expect(ground.judge('git show --stat v1')).toBe('allow deny');
  expect(ground.judge('git show v1', { deny: ['Read(.env)'] })).toBe('ask deny');
});

gitTest('G9 a rule for a git command does not cover the file that it writes its output to', () => {
  const ground = openGround();
  const rules = { allow: ['Bash(git diff:*)', 'Bash(git format-patch:*)', 'Bash(git log:*)'] };
  const lines = [
    'git diff --output=.git/hooks/pre-commit',
    'git diff --output=/tmp/elsewhere',
    'git diff --outpu=.git/config',
    'git diff --output .git/config',
    'git diff --no-index --output=.git/config src/a.ts src/b.ts',
    'git log -p --output=.git/config',
    'git format-patch -1 -o .git/hooks',
    'git format-patch -1 -o.git/hooks',
    'git format-patch -1 --output-directory=.git/hooks',
    'git diff $(cat options)',
  ];
  for (const line of lines) expect([line, ground.judge(line, rules)]).toEqual([line, 'ask deny']);
  for (const line of [
    'git diff --ext-diff',
    'git format-patch -1 --stdout',
    'git diff --output-indicator-new=x',
  ])
    expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'allow']);
});

gitTest('C2 a git command that a rule allows runs no programs of the repository where it only looks', () => {
  const ground = openGround();
  const accesses = (command: string) => [{ kind: 'shell' as const, command, cwd: '/repo' }];
  const of = (command: string) => judge({ accesses: accesses(command), allow: ['Bash(git:*)'] }).neutralise;
  expect(ground.root).not.toBe('');
  expect(of('git diff --ext-diff')).toEqual({ git: ['/repo'] });
  expect(of('git -C src log --ext-diff -p')).toEqual({ git: ['/repo/src', '/repo'] });
  expect(of('git commit -m x')).toBeUndefined();
});

gitTest('G9 of the settings of git only those that hold no secret are shown without asking', () => {
  const ground = openGround();
  const asked = [
    'git config -l',
    'git config --list --show-origin',
    'git config --local --list',
    "git config --get-regexp '.*'",
    'git config http.extraheader',
    'git config --get http.https://example.com/.extraheader',
    'git config credential.helper',
    'git config user.name me',
    'git config --get-all url.x.insteadOf',
    'git config',
  ];
  expectJudged(ground, asked, 'ask deny');
  const free = [
    'git config user.name',
    'git config --get user.email',
    'git config --global user.name',
    'git config init.defaultBranch',
    'git config --get remote.origin.url',
    'git config core.hooksPath',
    'git config --get branch.main.remote',
  ];
  expectJudged(ground, free, 'allow allow');
});

gitTest('G9 a rule covers neither what find runs nor what xargs feeds', () => {
  const ground = openGround();
  const rules = { allow: ['Bash(npm test:*)', 'Bash(npm test)'] };
  expect(ground.judge('npm test', rules).split(' ')[0]).toBe('allow');
  const lines = [
    'find . -exec npm test \\;',
    'find . -exec npm test {} +',
    'find . -exec timeout 5 npm test \\;',
    "find . -exec sh -c 'npm test' \\;",
    'cat a.txt | xargs npm test',
    'cat a.txt | xargs -I{} npm test',
    'ls | xargs -n 1 timeout 5 npm test',
  ];
  for (const line of lines) expect([line, ground.judge(line, rules).split(' ')[0]]).toEqual([line, 'ask']);
  expect(ground.judge('ls src | xargs echo', rules)).toBe('allow allow');
});
