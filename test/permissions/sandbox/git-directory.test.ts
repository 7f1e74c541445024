import { describe, expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { needs } from '../../support/index.ts';
import { begin, held, type Room, room, run } from './support.ts';

const test = needs('bwrap');

function git(at: Room, ...args: string[]): string {
  return execFileSync('git', args, { cwd: at.cwd, encoding: 'utf8' });
}

function repository(at: Room): void {
  git(at, 'init', '-q', '-b', 'main');
  git(at, 'config', 'user.email', 'a@example.com');
  git(at, 'config', 'user.name', 'A');
  writeFileSync(join(at.cwd, 'a.txt'), 'a\n');
  git(at, 'add', 'a.txt');
  git(at, 'commit', '-q', '-m', 'first');
}

describe('what leads git in its own directory', () => {
  test('info/exclude is read-only', async () => {
    const at = room();
    repository(at);
    const path = join(at.cwd, '.git/info/exclude');
    const before = readFileSync(path, 'utf8');
    await run(at, "echo '*' >> .git/info/exclude; rm -f .git/info/exclude; mv .git/info .git/elsewhere");
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  for (const name of ['info/exclude', 'remotes/origin', 'branches/origin', 'sl/config', 'arc/config'])
    test(`${name} that a command makes is taken away`, async () => {
      const at = room();
      repository(at);
      execFileSync('rm', ['-rf', '.git/info', '.git/remotes', '.git/branches'], { cwd: at.cwd });
      await run(at, `mkdir -p .git/$(dirname ${name}); echo 'URL: /elsewhere' > .git/${name}`);
      expect(existsSync(join(at.cwd, '.git', name))).toBe(false);
      expect(held(at).length).toBeGreaterThan(0);
    });

  test('a branch file in the empty directory that templates of git bring', async () => {
    const at = room();
    repository(at);
    mkdirSync(join(at.cwd, '.git/branches'), { recursive: true });
    const { notes } = await run(at, 'echo /elsewhere > .git/branches/origin');
    expect(existsSync(join(at.cwd, '.git/branches/origin'))).toBe(false);
    expect(notes.join()).toContain('.git/branches/origin');
  });

  test('a remote of that kind that is there can be neither changed nor removed', async () => {
    const at = room();
    repository(at);
    for (const name of ['remotes', 'branches']) {
      mkdirSync(join(at.cwd, '.git', name), { recursive: true });
      writeFileSync(join(at.cwd, '.git', name, 'old'), 'URL: /here\n');
    }
    await run(
      at,
      'for d in remotes branches; do echo x > .git/$d/old; echo x > .git/$d/new; rm -rf .git/$d; done',
    );
    for (const name of ['remotes', 'branches']) {
      expect(readFileSync(join(at.cwd, '.git', name, 'old'), 'utf8')).toBe('URL: /here\n');
      expect(existsSync(join(at.cwd, '.git', name, 'new'))).toBe(false);
    }
  });
});

describe('a command that breaks the repository', () => {
  test('head and references come back, and lost objects are said', async () => {
    const at = room();
    repository(at);
    git(at, 'branch', 'other');
    git(at, 'pack-refs', '--all');
    git(at, 'branch', 'loose');
    const before = git(at, 'rev-parse', 'main', 'other', 'loose');
    const { notes } = await run(at, 'rm -rf .git/HEAD .git/objects .git/refs .git/packed-refs .git/index');
    expect(git(at, 'rev-parse', 'main', 'other', 'loose')).toBe(before);
    expect(git(at, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
    expect(notes.join()).toContain('objects');
    expect(at.notices.join()).toContain(join(at.cwd, '.git'));
  });

  test('all objects gone', async () => {
    const at = room();
    repository(at);
    const { notes } = await run(at, 'rm -rf .git/objects/*');
    expect(notes.join()).toContain('objects');
    expect((await run(at, 'true')).notes).toEqual([]);
  });

  test('a link in the place of its parts is not followed', async () => {
    const at = room();
    repository(at);
    const outside = join(at.userHome, 'outside');
    mkdirSync(outside);
    await run(at, `rm -rf .git/refs .git/HEAD; ln -s ${outside} .git/refs; ln -s ${outside}/x .git/HEAD`);
    expect(existsSync(join(outside, 'heads'))).toBe(false);
    expect(existsSync(join(outside, 'x'))).toBe(false);
    expect(git(at, 'rev-parse', 'main')).toMatch(/^[0-9a-f]{40}\n$/);
  });

  test('something else in the place of its parts is moved away', async () => {
    const at = room();
    repository(at);
    const before = git(at, 'rev-parse', 'main');
    await run(at, 'rm -rf .git/refs .git/HEAD; echo x > .git/refs; mkdir .git/HEAD');
    expect(git(at, 'rev-parse', 'HEAD')).toBe(before);
  });

  test('commits, new branches and removed ones stay', async () => {
    const at = room();
    repository(at);
    git(at, 'branch', 'gone');
    const { notes } = await run(
      at,
      'git branch -q -D gone; git checkout -q -b new; git commit -q --allow-empty -m x',
    );
    // To remove a branch git also wants to write its configuration.
    expect(notes).toEqual([
      expect.stringMatching(/^It ran in a sandbox, where .*\.git\/config is protected/),
    ]);
    expect(git(at, 'for-each-ref', '--format=%(refname:short)')).toBe('main\nnew\n');
  });
});

describe('a pipe in a git directory', () => {
  const replaced = ['HEAD', 'packed-refs', 'refs/heads/loose', 'refs/heads/main'];
  for (const name of replaced)
    test(`${name} is put back`, async () => {
      const at = room();
      repository(at);
      git(at, 'branch', 'other');
      git(at, 'pack-refs', '--all');
      git(at, 'branch', 'loose');
      git(at, 'commit', '-q', '--allow-empty', '-m', 'second');
      const before = readFileSync(join(at.cwd, '.git', name));
      const { notes } = await run(at, `rm -f .git/${name}; mkfifo .git/${name}`);
      expect(notes.join()).toContain(`.git/${name}`);
      expect(readFileSync(join(at.cwd, '.git', name)).equals(before)).toBe(true);
      expect((await run(at, 'true')).notes).toEqual([]);
    });

  for (const name of [
    'logs/HEAD',
    'objects/info/alternates',
    'FETCH_HEAD',
    'refs/heads/a/b',
    'rebase-merge/done',
  ])
    test(`${name} is taken away, wherever git would open it`, async () => {
      const at = room();
      repository(at);
      const { notes } = await run(
        at,
        `rm -f .git/${name}; mkdir -p .git/$(dirname ${name}); mkfifo .git/${name}`,
      );
      expect(notes.join()).toContain(`.git/${name}`);
      expect(existsSync(join(at.cwd, '.git', name))).toBe(false);
    });
});

describe('stand-ins for directories that do not exist', () => {
  for (const command of [
    'git stash -u',
    'git clean -fd',
    'git add -A',
    'git status --porcelain --ignored=no',
  ])
    test(`${command} does not meet them`, async () => {
      const at = room();
      repository(at);
      writeFileSync(join(at.cwd, 'new.txt'), 'new\n');
      const { code, text } = await run(at, command);
      expect([code, text.replace(/^.*new\.txt.*$/m, '')]).toEqual([
        0,
        expect.not.stringMatching(/cadre|claude/),
      ]);
      expect([existsSync(join(at.cwd, '.cadre')), existsSync(join(at.cwd, '.claude'))]).toEqual([
        false,
        false,
      ]);
    });

  test('what info/exclude says still holds inside', async () => {
    const at = room();
    repository(at);
    writeFileSync(join(at.cwd, '.git/info/exclude'), 'mine.txt');
    writeFileSync(join(at.cwd, 'mine.txt'), '');
    writeFileSync(join(at.cwd, 'other.txt'), '');
    const { text } = await run(at, 'git status --porcelain');
    expect(text).toBe('?? other.txt\n');
    expect(readFileSync(join(at.cwd, '.git/info/exclude'), 'utf8')).toBe('mine.txt');
  });
});

describe("a git directory that a command plants in git's own data", () => {
  /** Runs a program when somebody calls git where the pointer leads. */
  const evil = (at: Room) =>
    [
      'mkdir -p evil/objects evil/refs; echo "ref: refs/heads/main" > evil/head-of-it',
      `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch ${at.cwd}/RAN; false"\\n' > evil/config`,
    ].join('; ');
  const plant = (place: string) =>
    `mkdir -p ${place}; cp .git/HEAD ${place}/HEAD; printf '%s/evil\\n' "$PWD" > ${place}/commondir; cp .git/index ${place}/index; printf '%s/old/.git\\n' "$PWD" > ${place}/gitdir`;
  /** A stale worktree, the data of which is gone. */
  const stale = (at: Room, place: string) => {
    mkdirSync(join(at.cwd, 'old'), { recursive: true });
    writeFileSync(join(at.cwd, 'old/.git'), `gitdir: ${join(at.cwd, place)}\n`);
  };
  const useGit = (at: Room, directory = 'old') =>
    execFileSync('sh', ['-c', 'git worktree repair; git status; true'], {
      cwd: join(at.cwd, directory),
      stdio: 'ignore',
    });

  for (const place of [
    '.git/worktrees/wt',
    '.git/modules/m',
    '.git/other',
    '.git/lfs/deep/er',
    '.git/logs/x',
  ])
    test(`${place}: git does not run what it names`, async () => {
      const at = room();
      repository(at);
      stale(at, place);
      const { notes } = await run(at, `${evil(at)}; ${plant(place)}`);
      expect(notes.join()).toContain(place.split('/').slice(0, 2).join('/'));
      useGit(at);
      expect(existsSync(join(at.cwd, 'RAN'))).toBe(false);
      expect(existsSync(join(at.cwd, place, 'HEAD'))).toBe(false);
    });

  test('with a configuration of its own, and in a repository below', async () => {
    const at = room();
    repository(at);
    mkdirSync(join(at.cwd, 'a/b/sub'), { recursive: true });
    execFileSync('git', ['clone', '-q', at.cwd, 'a/b/sub/c'], { cwd: at.cwd });
    const own = 'a/b/sub/c/.git/worktrees/wt';
    stale(at, own);
    const { notes } = await run(
      at,
      `${evil(at)}; ${plant(own)}; mkdir -p .git/hidden; cp -r .git/HEAD evil/objects evil/refs evil/config .git/hidden`,
    );
    expect(notes.join()).toContain(own);
    expect(notes.join()).toContain('.git/hidden/HEAD');
    useGit(at);
    expect(existsSync(join(at.cwd, 'RAN'))).toBe(false);
  });

  test('a worktree that would then be led elsewhere cannot be made inside', async () => {
    const at = room();
    repository(at);
    const { text } = await run(
      at,
      `${evil(at)}; git worktree add -q wt; echo "$PWD/evil" > .git/worktrees/wt/commondir`,
    );
    expect(text).toContain('Read-only file system');
    expect(existsSync(join(at.cwd, '.git/worktrees/wt'))).toBe(false);
    useGit(at, '.');
    expect(existsSync(join(at.cwd, 'RAN'))).toBe(false);
  });

  test('one that another process made plainly while the command ran cannot be led elsewhere', async () => {
    const at = room();
    repository(at);
    const running = await begin(
      at,
      `${evil(at)}; until [ -e go ]; do sleep 0.01; done; echo "$PWD/evil" > .git/worktrees/mine/commondir; touch done; sleep 60`,
    );
    git(at, 'worktree', 'add', '-q', 'mine');
    await run(at, 'true');
    writeFileSync(join(at.cwd, 'go'), '');
    while (!existsSync(join(at.cwd, 'done'))) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await running.end()).toEqual([]);
    useGit(at, 'mine');
    expect(existsSync(join(at.cwd, 'RAN'))).toBe(false);
  });

  test('a worktree that Cadre or the user makes meanwhile stays', async () => {
    const at = room();
    repository(at);
    const running = await begin(at, 'sleep 60');
    git(at, 'worktree', 'add', '-q', '../mine');
    expect(running.offends()).toBe(false);
    expect(await running.end()).toEqual([]);
    expect(git(at, 'worktree', 'list')).toContain('/mine ');
    expect((await run(at, 'git status --short; git worktree list')).text).toContain('/mine ');
  });
});

test('lock files of git that a command leaves are named, those from before are not', async () => {
  const at = room();
  repository(at);
  writeFileSync(join(at.cwd, '.git/shallow.lock'), '');
  const { notes } = await run(at, 'touch .git/config.lock; git status --short');
  expect(notes.join()).toContain(join(at.cwd, '.git/config.lock'));
  expect(notes.join()).not.toContain('shallow.lock');
  expect(at.notices.join()).toContain('config.lock');
  expect((await run(at, 'git commit -q --allow-empty -m x')).notes).toEqual([]);
});
