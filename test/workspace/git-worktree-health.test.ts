import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitHealth } from '../../src/workspace/git/health.ts';
import { describeMoved } from '../../src/workspace/git/reference-changes.ts';
import { needs } from '../support/index.ts';
import { repository } from './git-health-ground.ts';

/** A linked worktree in which commands run, beside the main checkout that the user works in. */
function worktree() {
  const { path, root, git } = repository();
  const linked = join(path, 'linked');
  git('worktree', 'add', '-q', '-b', 'feature', linked);
  const health = new GitHealth();
  const options = { env: { PATH: process.env.PATH ?? '', HOME: path } };
  const after = async (command: string, looked = [linked]) => {
    health.look(looked);
    const ended = spawnSync('bash', ['-c', command], { cwd: linked, env: { ...process.env, M: root } });
    expect([command, ended.status]).toEqual([command, 0]);
    return health.compare(options);
  };
  const inMain = (name: string) => join(root, '.git', name);
  return { root, linked, git, after, inMain };
}

const ways = {
  nonsense: (path: string) => `echo garbage > ${path}`,
  'the id of no commit': (path: string) => `echo 1234567890123456789012345678901234567890 > ${path}`,
  nothing: (path: string) => `rm ${path}`,
  'a named pipe': (path: string) => `rm ${path}; mkfifo ${path}`,
  'a directory': (path: string) => `rm ${path}; mkdir -p ${path}/x`,
};

for (const name of ['HEAD', 'index'])
  for (const [what, way] of Object.entries(ways))
    needs('mkfifo')(
      `from a linked worktree, ${what} in the place of the main checkout’s ${name}`,
      async () => {
        const { git, after, inMain } = worktree();
        const before = readFileSync(inMain(name));
        const { repaired } = await after(way(`$M/.git/${name}`));
        expect(repaired).toEqual([expect.stringContaining(`overwrote ${inMain(name)}`)]);
        expect(repaired[0]).toContain('was restored');
        expect(readFileSync(inMain(name)).equals(before)).toBe(true);
        expect(git('status', '--porcelain', '--branch')).toBe('## main');
      },
    );

test('the main checkout that a command in a linked worktree moved to another branch is named once', async () => {
  const { root, linked, git, after } = worktree();
  const { moved, repaired } = await after('echo "ref: refs/heads/other" > $M/.git/HEAD');
  expect(repaired).toEqual([]);
  expect(moved).toEqual([
    { root: linked, name: 'main-worktree/HEAD', before: 'refs/heads/main', after: 'refs/heads/other' },
  ]);
  const told = moved.map(({ after: now, ...one }) => describeMoved({ ...one, now }, new Set())).join();
  const command = /\((git symbolic-ref [^)]*)\)/.exec(told)?.[1] ?? 'false';
  expect(spawnSync('bash', ['-c', command], { cwd: linked }).status).toBe(0);
  expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  const both = await after('echo "ref: refs/heads/other" > $M/.git/HEAD', [linked, root]);
  expect(both.moved.map(({ name }) => name)).toEqual(['HEAD']);
});

test('work in a linked worktree, and in its main checkout, is not taken for damage', async () => {
  const { root, after } = worktree();
  writeFileSync(join(root, 'a'), 'changed\n');
  const identity = '-c user.name=T -c user.email=t@example.invalid';
  const { repaired, said, moved } = await after(
    `git ${identity} commit -q --allow-empty -m x; git -C $M add -A; git -C $M ${identity} commit -qm y`,
  );
  expect([repaired, said]).toEqual([[], []]);
  expect(moved.map(({ name }) => name).toSorted()).toEqual(['refs/heads/feature', 'refs/heads/main']);
});
