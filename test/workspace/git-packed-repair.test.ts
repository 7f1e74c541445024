import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitHealth } from '../../src/workspace/git/health.ts';
import { repository } from './git-health-ground.ts';

/** A repository of which every reference is a file of its own. */
function loose() {
  const at = repository();
  const file = (name: string) => join(at.root, '.git', name);
  /** What the user's own git prints of all references, and whether it works at all. */
  const look = () =>
    ['show-ref', 'status --porcelain --branch', 'log --oneline --all', 'branch'].map((args) => {
      const ended = spawnSync('git', args.split(' '), { cwd: at.root, timeout: 5_000, encoding: 'utf8' });
      return [args, ended.status, ended.stdout];
    });
  return { ...at, file, look };
}

const ways = {
  nonsense: (path: string) => `echo x > ${path}`,
  'a line without an end': (path: string) => `printf x > ${path}`,
  'a directory': (path: string) => `mkdir ${path}`,
  'a directory with a file': (path: string) => `mkdir ${path}; touch ${path}/y`,
};

describe('what no git can read is put aside where nothing was before', () => {
  for (const [what, way] of Object.entries(ways))
    test(`${what} as the packed references`, async () => {
      const { after, file, look } = loose();
      const before = look();
      const { repaired, moved } = await after(way('.git/packed-refs'));
      expect(repaired).toEqual([
        expect.stringContaining(
          `in the place of ${file('packed-refs')}, which blocks every git command. It was removed`,
        ),
      ]);
      expect(moved).toEqual([]);
      expect(look()).toEqual(before);
      expect(readdirSync(file('.')).filter((name) => name.startsWith('packed-refs.removed-'))).toHaveLength(
        1,
      );
    });

  for (const [what, way] of Object.entries(ways))
    test(`${what} as the first index`, async () => {
      const { after, root, git, file } = loose();
      git('rm', '-rqf', '--cached', '.');
      spawnSync('rm', [join(root, '.git/index')]);
      const { repaired } = await after(way('.git/index'));
      expect(repaired).toEqual([expect.stringContaining(`in the place of ${file('index')}`)]);
      expect(git('status', '--porcelain')).toContain('D  a');
    });

  test.each(['objects/info/commit-graph', 'objects/pack/multi-pack-index'])(
    'a directory as %s',
    async (name) => {
      const { after, file, look } = loose();
      const before = look();
      const { repaired } = await after(`mkdir -p .git/${name}/x`);
      expect(repaired).toEqual([expect.stringContaining(`a directory in the place of ${file(name)}`)]);
      expect(look()).toEqual(before);
    },
  );

  test('from a linked worktree', async () => {
    const { path, root, git, look } = loose();
    git('worktree', 'add', '-q', join(path, 'linked'));
    const before = look();
    const health = new GitHealth();
    health.look([join(path, 'linked')]);
    writeFileSync(join(root, '.git/packed-refs'), 'x\n');
    const { repaired } = await health.compare({ env: { PATH: process.env.PATH ?? '', HOME: path } });
    expect(repaired).toHaveLength(1);
    expect(look()).toEqual(before);
  });
});

test('what the user had put there before the command is left alone', async () => {
  const { after, file } = loose();
  mkdirSync(file('packed-refs'));
  expect((await after('true')).repaired).toEqual([]);
});

describe('references that were packed and then made unreadable are all there again', () => {
  const breaks = [
    'echo x >> .git/packed-refs',
    'echo x > .git/packed-refs',
    'truncate -s 60 .git/packed-refs',
  ];
  for (const wasPacked of [false, true])
    test.each(breaks)(`${wasPacked ? 'some packed before' : 'none packed before'}: %s`, async (line) => {
      const { after, file, git, look } = loose();
      git('tag', '-a', 'v1', '-m', 'v1');
      if (wasPacked) git('pack-refs', '--all');
      git('commit', '-q', '--allow-empty', '-m', 'newest');
      git('branch', 'third');
      const before = look();
      const { repaired, moved } = await after(`git pack-refs --all; ${line}`);
      expect(repaired).toEqual([expect.stringContaining(`${file('packed-refs')}`)]);
      expect(repaired[0]).toContain('git cannot read');
      expect([look(), moved]).toEqual([before, []]);
    });

  test('with the commits that the command made before', async () => {
    const { after, git } = loose();
    const { moved } = await after(
      'git commit -q --allow-empty -m made; git pack-refs --all; echo x >> .git/packed-refs',
    );
    expect(git('log', '-1', '--format=%s', 'main')).toBe('made');
    expect(moved.map(({ name }) => name)).toEqual(['refs/heads/main']);
  });
});
