import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { held, put, type Room, room, run } from './support.ts';

const test = needs('bwrap');

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
    ...{ cwd, encoding: 'utf8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** A repository with a worktree, at the place of an agent's or elsewhere. */
function worktree(place: string): { at: Room; tree: string; own: string } {
  const at = room();
  put(at, { 'a.txt': 'a' });
  git(at.cwd, 'init', '-q');
  git(at.cwd, 'add', '.');
  git(at.cwd, 'commit', '-qm', 'first');
  git(at.cwd, 'config', 'extensions.worktreeConfig', 'true');
  const tree = join(at.cwd, place);
  mkdirSync(join(tree, '..'), { recursive: true });
  git(at.cwd, 'worktree', 'add', '-q', '-b', `cadre/${place.split('/').at(-1)}`, tree);
  return { at, tree, own: join(at.cwd, '.git/worktrees', place.split('/').at(-1) ?? '') };
}

const made: Record<string, { command: string; path: string }> = {
  'a configuration that runs a program': {
    command: 'printf "[core]\\n\\tfsmonitor = touch $PWD/ran; false\\n" > $own/config.worktree',
    path: 'config.worktree',
  },
  'a submodule’s repository with hooks': {
    command: 'git init -q --bare $own/modules/lib; echo touch x > $own/modules/lib/hooks/post-checkout',
    path: 'modules',
  },
  hooks: { command: 'mkdir $own/hooks; echo x > $own/hooks/post-checkout', path: 'hooks' },
  'a configuration file': { command: 'echo x > $own/config', path: 'config' },
  'a remote in the old form': {
    command: 'mkdir $own/branches; echo x > $own/branches/origin',
    path: 'branches',
  },
  attributes: { command: 'mkdir -p $own/info; echo x > $own/info/attributes', path: 'info/attributes' },
  'a link': { command: 'ln -s /etc/passwd $own/link', path: 'link' },
};

describe('in the git directory of a worktree', () => {
  for (const place of ['.cadre/worktrees/one', 'other/two'])
    for (const [what, { command, path }] of Object.entries(made))
      test(`${what} that a command in ${place} makes is taken away`, async () => {
        const { at, tree, own } = worktree(place);
        const { notes, text } = await run(at, `own=$(git rev-parse --absolute-git-dir); ${command}`, {
          ...{ in: tree, scope: { directories: [tree] } },
        });
        expect(text).toBe('');
        expect(notes.join()).toContain('were moved to');
        expect(notes.join()).not.toContain('could not be set right');
        expect([existsSync(join(own, path)), held(at)]).toEqual([false, [join(own, path)]]);
        git(tree, 'status');
        expect(existsSync(join(tree, 'ran'))).toBe(false);
      });

  test('commits, a rebase, a stash and a bisection work and are left alone', async () => {
    const { at, tree } = worktree('other/two');
    const { code, text, notes } = await run(
      at,
      [
        'set -e; export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b',
        'echo b > b; git add b; git commit -qm second; echo c > c; git add c; git commit -qm third',
        'git rebase -q HEAD~1; git reset -q --soft HEAD~1; git stash -q; git stash pop -q; git bisect start -q; git bisect reset',
      ].join('\n'),
      { in: tree, scope: { directories: [tree] } },
    );
    expect([code, text, notes]).toEqual([0, expect.any(String), []]);
  });
});

describe('the main checkout outside the workspace of a linked worktree', () => {
  const writes = {
    'its head': 'echo "ref: refs/heads/third" > $main/HEAD',
    'its head by a new file': 'echo "ref: refs/heads/third" > $main/new; mv -f $main/new $main/HEAD',
    'its head by removing it': 'rm -f $main/HEAD',
  };
  for (const [what, command] of Object.entries(writes))
    test(`keeps ${what}`, async () => {
      const { at, tree } = worktree('other/two');
      const head = join(at.cwd, '.git/HEAD');
      const before = readFileSync(head, 'utf8');
      const { text } = await run(at, `main=$(git rev-parse --git-common-dir); ${command}`, {
        ...{ in: tree, scope: { directories: [tree] } },
      });
      expect(text).toMatch(/Read-only file system|Device or resource busy/);
      expect(readFileSync(head, 'utf8')).toBe(before);
    });

  test('can be worked in when it is in the workspace too', async () => {
    const { at, tree } = worktree('other/two');
    const { code, notes } = await run(at, 'git checkout -q -b third; echo b > b; git add b', {
      scope: { directories: [at.cwd, tree] },
    });
    expect([code, notes]).toEqual([0, []]);
    expect(git(at.cwd, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/third');
  });

  test('can be worked in by the user meanwhile', async () => {
    const { at, tree } = worktree('other/two');
    const running = run(at, 'touch started; until [ -e go ]; do sleep 0.05; done; git status -s', {
      ...{ in: tree, scope: { directories: [tree] } },
    });
    while (!existsSync(join(tree, 'started'))) await Bun.sleep(20);
    put(at, { 'a.txt': 'changed' });
    git(at.cwd, 'add', 'a.txt');
    put(at, { 'other/two/go': '' });
    const { code, notes } = await running;
    expect([code, notes]).toEqual([0, []]);
    expect(git(at.cwd, 'diff', '--cached', '--name-only').trim()).toBe('a.txt');
  });
});
