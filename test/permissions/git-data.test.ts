import { expect } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { needs } from '../support/index.ts';
import { openGitGround } from './git-ground.ts';

const gitTest = needs('git');
const token = '0123456789abcdef0123456789abcdef01234567';

/** A repository with one commit, and beside it files that are nobody's business. */
function openGround(format = 'sha1') {
  const ground = openGitGround({ 'src/a.ts': 'text\n' }, format);
  ground.put('../outside.txt', 'hunter2 hunter2\n');
  ground.put('../token', `${token}\n`);
  return {
    ...ground,
    link(name: string, target: string) {
      const path = join(ground.root, '.git', name);
      rmSync(path, { recursive: true, force: true });
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(ground.root, '..', target), path);
    },
  };
}

const everyday = [
  ...['git status', 'git log --oneline', 'git branch -a', 'git diff', 'git worktree list', 'git remote -v'],
  ...['git stash list', 'git tag', 'git rev-parse main', 'git reflog'],
];

/** What is linked, to what, and the command that shows it. */
const leaks: readonly (readonly [name: string, target: string, command: string, shown: string])[] = [
  ['rebase-merge/head-name', 'outside.txt', 'touch .git/rebase-merge/interactive; git status', 'hunter2'],
  ['refs/heads/x/y', 'token', 'git rev-parse x/y', token],
  ['branches/far', 'outside.txt', 'git remote get-url far', 'hunter2'],
  ['worktrees/w/gitdir', 'outside.txt', 'git worktree list', 'hunter2'],
  ['info/any', 'token', 'git rev-parse info/any', token],
  ['lfs/any', 'token', 'git rev-parse lfs/any', token],
  ['hooks/any', 'token', 'git rev-parse hooks/any', token],
];

for (const [name, target, command, shown] of leaks)
  gitTest(`G9 a link in git's data is not read through: .git/${name}`, () => {
    const ground = openGround();
    ground.link(name, target);
    expect(ground.run(command)).toContain(shown);
    expect(ground.judge(command.replace(/^.*; /, ''))).toBe('ask ask');
  });

const anywhere = [
  ...[
    'branches/x',
    'remotes/x',
    'rebase-merge/done',
    'rebase-apply/next',
    'sequencer/todo',
    'refs/tags/a/b/c',
  ],
  ...[
    'worktrees/w/HEAD',
    'worktrees/w/logs/HEAD',
    'worktrees/w/refs/bisect/x',
    'worktrees/w/config.worktree',
  ],
  ...[
    'logs/refs/heads/main',
    'logs/refs/remotes/origin/x',
    'info/exclude',
    'info/sparse-checkout',
    'shallow',
  ],
  ...[
    'objects/info/packs',
    'objects/info/commit-graphs/commit-graph-chain',
    'objects/pack/x.idx',
    'rr-cache/x',
  ],
  ...[
    'lost-found/other/x',
    'BISECT_LOG',
    'MERGE_MSG',
    'FETCH_HEAD',
    'packed-refs',
    'sharedindex.x',
    'refs/notes/x',
  ],
  ...['fsmonitor--daemon/cookies', 'objects/xy/z', 'a/b/c/d', 'reftable/tables.list'],
];

gitTest('G9 a link anywhere in the data of a repository is asked about', () => {
  const ground = openGround();
  expect(everyday.map((line) => ground.judge(line))).toEqual(everyday.map(() => 'allow allow'));
  for (const name of anywhere) {
    ground.link(name, 'outside.txt');
    for (const line of everyday)
      expect([name, line, ground.judge(line)]).toEqual([
        name,
        line,
        expect.stringMatching(/^ask (?:ask|deny)$/),
      ]);
    rmSync(join(ground.root, '.git', name));
  }
  expect(everyday.map((line) => ground.judge(line))).toEqual(everyday.map(() => 'allow allow'));
});

gitTest('G9 a link from the data of git to a file of the workspace is asked about as well', () => {
  const ground = openGround();
  ground.put('.env', 'KEY=hunter2\n');
  ground.link('rebase-merge/done', 'repo/.env');
  ground.put('.git/rebase-merge/interactive', '');
  expect(ground.run('git status')).toContain('hunter2');
  expect(ground.judge('git status')).toBe('ask ask');
  rmSync(join(ground.root, '.git/rebase-merge/done'));
  linkSync(join(ground.root, '.env'), join(ground.root, '.git/rebase-merge/done'));
  expect(ground.run('git status')).toContain('hunter2');
  expect(ground.judge('git status')).toBe('ask ask');
});

gitTest('G9 a reference that leads to a place without references is asked about', () => {
  const ground = openGround();
  ground.link('hooks/any', 'token');
  // As long as an id, and longer than any reference.
  const long = 'a'.repeat(29);
  ground.link(`hooks/${long}`, 'token');
  for (const text of ['ref: hooks/any\n', `ref: hooks/${long}\n`, `ref:\thooks/any${'\n'.repeat(3000)}`]) {
    ground.put('.git/refs/heads/m', text);
    expect(ground.run('git rev-parse m')).toContain(token);
    expect([text, ground.judge('git rev-parse m')]).toEqual([text, 'ask ask']);
    rmSync(join(ground.root, '.git/refs/heads/m'));
  }
});

gitTest('G9 a worktree that claims the data of another repository is asked about', () => {
  const ground = openGround();
  expect(ground.run('git init -q ../other; git -C ../other commit -q --allow-empty -m x')).toBe('');
  ground.put('.git/worktrees/w/HEAD', 'ref: refs/heads/main\n');
  ground.put('.git/worktrees/w/gitdir', '/nowhere/.git\n');
  ground.put('.git/worktrees/w/commondir', '../..\n');
  expect(ground.judge('git worktree list')).toBe('allow allow');
  ground.put('.git/worktrees/w/commondir', `${join(ground.root, '../other/.git')}\n`);
  expect(ground.judge('git worktree list')).toBe('ask ask');
});

gitTest('G9 the commit of a submodule is not read through a link', () => {
  const ground = openGround();
  ground.run(
    'git init -q -b main sub && git -C sub commit -q --allow-empty -m x && git add sub && git commit -qm sub',
  );
  expect(everyday.map((line) => ground.judge(line))).toEqual(everyday.map(() => 'allow allow'));
  rmSync(join(ground.root, 'sub/.git/refs/heads/main'));
  symlinkSync(join(ground.root, '../token'), join(ground.root, 'sub/.git/refs/heads/main'));
  expect(ground.run('git diff --ignore-submodules=dirty')).toContain(token);
  expect(ground.judge('git diff')).toBe('ask ask');
});

gitTest('links that git and its users make themselves are free', () => {
  const ground = openGround();
  ground.run('git branch other && rm .git/HEAD && ln -s refs/heads/main .git/HEAD');
  ground.link('hooks/pre-commit', 'outside.txt');
  ground.put('.git/COMMIT_EDITMSG', 'ref: rename a thing\n');
  ground.run('git worktree add -q ../linked; git stash; git pack-refs --all; git commit-graph write');
  expect(everyday.map((line) => ground.judge(line))).toEqual(everyday.map(() => 'allow allow'));
  ground.link('hooks', 'elsewhere');
  expect(everyday.map((line) => ground.judge(line))).toEqual(everyday.map(() => 'allow allow'));
});

gitTest('a repository with other ids, with thousands of references, and in a rebase is free', () => {
  const other = openGround('sha256');
  expect(everyday.map((line) => other.judge(line))).toEqual(everyday.map(() => 'allow allow'));
  const many = openGround();
  many.run(
    'for i in $(seq 3000); do echo "create refs/heads/t/$i HEAD"; done | git update-ref --create-reflog --stdin',
  );
  expect(everyday.map((line) => many.judge(line))).toEqual(everyday.map(() => 'allow allow'));
  many.run(
    'echo x >> src/a.ts; git commit -qam second; GIT_SEQUENCE_EDITOR="sed -i s/pick/edit/" git rebase -i HEAD~1',
  );
  expect(many.run('git status')).toContain('rebas');
  expect(everyday.map((line) => many.judge(line))).toEqual(everyday.map(() => 'allow allow'));
});

gitTest('G9 a reference that is written in place, later, is asked about', () => {
  const { put, root, judge } = openGround();
  put('.git/FOO_HEAD', `${token}\n`);
  // Long ago, so that its folder is known to be as it was.
  const wait = spawnSync('sleep', ['0.1']);
  expect([wait.status, judge('git status')]).toEqual([0, 'allow allow']);
  expect(judge('git status')).toBe('allow allow');
  writeFileSync(join(root, '.git/FOO_HEAD'), 'ref: ../../outside.txt\n');
  expect(judge('git status')).toStartWith('ask ');
});

gitTest('G9 a pipe in the data of a repository is asked about: another program says what git reads', () => {
  for (const name of ['commondir', 'packed-refs', 'refs/heads/x', 'objects/info/alternates']) {
    const { run, judge } = openGround();
    run(`rm -f .git/${name}; mkfifo .git/${name}`);
    expect([name, judge('git status').startsWith('ask ')]).toEqual([name, true]);
  }
});
