import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git as runGit } from '../../src/workspace/git/git.ts';
import { needs } from '../support/index.ts';
import { repository } from './git-health-ground.ts';

/** A repository with packed references, of which a second branch is one. */
function packed() {
  const at = repository();
  at.git('pack-refs', '--all');
  const file = (name: string) => join(at.root, '.git', name);
  /** What git prints, as the user would run it: within a time, or not at all. */
  const asUser = (...args: string[]) => {
    const ended = spawnSync('git', args, { cwd: at.root, timeout: 5_000, encoding: 'utf8' });
    return [ended.status, ended.stdout.trim()];
  };
  return { ...at, file, asUser };
}

describe('files that git never removes are put back, whatever a command puts in their place', () => {
  const ways = {
    'a named pipe': (path: string) => `rm -f ${path}; mkfifo ${path}`,
    'a socket': (path: string) =>
      `rm -f ${path}; python3 -c 'import os, stat; os.mknod("${path}", stat.S_IFSOCK | 0o600)'`,
    'a directory': (path: string) => `rm -f ${path}; mkdir -p ${path}/x`,
    'a huge file': (path: string) => `rm -f ${path}; truncate -s 1T ${path}`,
    'the same, made huge': (path: string) => `truncate -s 1T ${path}`,
    'a link to a device': (path: string) => `ln -sf /dev/zero ${path}`,
    nonsense: (path: string) => `echo 0 > ${path}`,
    nothing: (path: string) => `rm -f ${path}`,
    'half of it': (path: string) => `truncate -s 45 ${path}`,
    'no permissions': (path: string) => `echo 0 > ${path}; chmod 000 ${path}`,
  };
  for (const name of ['HEAD', 'packed-refs', 'index'])
    for (const [what, way] of Object.entries(ways)) {
      // A head is shorter.
      if (name === 'HEAD' && what === 'half of it') continue;
      needs('mkfifo')(`${name}: ${what}`, async () => {
        const { after, file, asUser } = packed();
        const before = readFileSync(file(name));
        const log = asUser('log', '--oneline', '--all');
        const { repaired, lost } = await after(way(`.git/${name}`));
        expect(repaired).toEqual([expect.stringContaining(`overwrote ${file(name)}`)]);
        expect(repaired[0]).toContain('was restored');
        expect(lost).toEqual([]);
        expect(readFileSync(file(name)).equals(before)).toBe(true);
        expect(asUser('status', '--porcelain')).toEqual([0, '']);
        expect(asUser('log', '--oneline', '--all')).toEqual(log);
      });
    }
});

needs('mkfifo')('pipes where git would look for more of its data are removed, and said', async () => {
  const { after, file, asUser } = packed();
  const names = ['objects/info/alternates', 'info/grafts', 'shallow', 'refs/heads/deep/new', 'refs/tags/new'];
  const { repaired } = await after(
    `mkdir -p .git/refs/heads/deep .git/objects/info; ${names.map((name) => `mkfifo .git/${name}`).join('; ')}`,
  );
  for (const name of names) {
    expect(repaired).toContainEqual(expect.stringContaining(`a named pipe in the place of ${file(name)}`));
    expect(existsSync(file(name))).toBe(false);
  }
  expect(asUser('log', '--all', '--oneline')[0]).toBe(0);
});

test('an endless file is put aside', async () => {
  const { after, file, asUser } = packed();
  const { repaired } = await after('truncate -s 1T .git/info/grafts');
  expect(repaired).toEqual([expect.stringContaining(`in the place of ${file('info/grafts')}`)]);
  expect(asUser('log', '--oneline')[0]).toBe(0);
});

test('endless files among the references are put aside', async () => {
  const { after, asUser } = packed();
  const { repaired } = await after('truncate -s 1T .git/refs/stash .git/refs/tags/new .git/refs/heads/more');
  expect(repaired).toHaveLength(3);
  expect(asUser('status', '--porcelain')[0]).toBe(0);
  expect(asUser('log', '--all', '--oneline')[0]).toBe(0);
});

test('a list of cut-off commits that git cannot read is put aside', async () => {
  const { after, file, asUser } = packed();
  const { repaired } = await after('echo garbage > .git/shallow');
  expect(repaired).toEqual([
    expect.stringContaining(`text that git cannot read in the place of ${file('shallow')}`),
  ]);
  expect(asUser('log', '--oneline')[0]).toBe(0);
});

needs('mkfifo')('a branch that became a pipe is put back', async () => {
  const { after, file, asUser, git } = repositoryWithFile();
  const commit = git('rev-parse', 'main');
  const { repaired } = await after('rm .git/refs/heads/main; mkfifo .git/refs/heads/main');
  expect(repaired).toEqual([expect.stringContaining(`overwrote ${file('refs/heads/main')}`)]);
  expect(asUser('rev-parse', 'main')).toEqual([0, commit]);
});

test.each([
  "echo 'ref: refs/heads/../../../etc/passwd' > .git/HEAD",
  "echo 'ref: refs/heads/a..b' > .git/HEAD",
  'echo 0000000000000000000000000000000000000000 > .git/HEAD',
  'echo 1234567890123456789012345678901234567890 > .git/HEAD',
  'echo 1234567890123456789012345678901234567890 > .git/refs/heads/main',
])('what looks right and leads nowhere is put back: %s', async (command) => {
  const { after, asUser, git } = repositoryWithFile();
  const commit = git('rev-parse', 'HEAD');
  const { repaired } = await after(command);
  expect(repaired).toEqual([expect.stringContaining('was restored')]);
  expect(asUser('rev-parse', 'HEAD')).toEqual([0, commit]);
  expect(asUser('symbolic-ref', 'HEAD')).toEqual([0, 'refs/heads/main']);
});

test.each([
  'rm -rf .git && git init -q -b main',
  'rm -rf .git/* && git init -q -b main',
  'mv .git old && cp -r old .git && rm -f .git/packed-refs .git/index',
])('a repository that is another one now is left alone: %s', async (command) => {
  const { after } = packed();
  expect((await after(command)).repaired.join('\n')).not.toContain('restored');
});

test.each([
  'git pack-refs --all',
  'git read-tree --empty',
  'git checkout -q other',
  'git stash list; echo x > a; git stash -q; git stash drop -q',
  'git update-index --index-version 4',
  'git -c index.skipHash=true add -A; git -c feature.manyFiles=true update-index --refresh',
  'git branch -D other; git branch other/deeper',
  'git reset -q --hard HEAD~1; git gc -q --prune=now',
  'git worktree add -q ../linked; git worktree remove ../linked',
])('what git itself writes is not put back: %s', async (command) => {
  const { after } = packed();
  expect(await after(command)).toMatchObject({ said: [], repaired: [], lost: [] });
});

test('references that commands moved are named, with what they were', async () => {
  const { root, after, git } = packed();
  const [main, other] = [git('rev-parse', 'main'), git('rev-parse', 'other')];
  const { moved } = await after(
    'git checkout -q -b topic; git commit -q --allow-empty -m x; git branch -D other; git branch -f main HEAD~2',
  );
  const topic = git('rev-parse', 'topic');
  expect(moved.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { root, name: 'HEAD', before: 'refs/heads/main', after: 'refs/heads/topic' },
    { root, name: 'refs/heads/main', before: main, after: git('rev-parse', 'main') },
    { root, name: 'refs/heads/other', before: other, after: null },
    { root, name: 'refs/heads/topic', before: null, after: topic },
  ]);
  expect((await after('git pack-refs --all; true')).moved).toEqual([]);
});

needs('mkfifo')('git of our own does not start where it would wait', async () => {
  const { root, path } = repository();
  spawnSync('bash', ['-c', 'rm -f .git/packed-refs; mkfifo .git/packed-refs'], { cwd: root });
  const options = { cwd: root, env: { PATH: process.env.PATH ?? '', HOME: path } };
  const asked = await runGit(['rev-list', '--all'], options);
  expect(asked.ok ? '' : asked.problem.message).toContain('packed-refs is a named pipe');
});

function repositoryWithFile() {
  const at = packed();
  // As a file of its own.
  at.git('commit', '-q', '--allow-empty', '-m', 'newest');
  return at;
}
