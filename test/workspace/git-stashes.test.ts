import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './git-health-ground.ts';

/** A repository with three stashes of the user, the newest first. */
function stashed() {
  const at = repository();
  for (const name of ['one', "two's $(touch ran)", 'three']) {
    writeFileSync(join(at.root, 'a'), `${name}\n`);
    at.git('stash', 'push', '-q', '-m', name);
  }
  const list = () => at.git('stash', 'list', '--format=%H %gs').split('\n').toSorted();
  const follow = (told: readonly string[]) => {
    for (const line of told) {
      const command = /To bring it back: (.*)$/.exec(line)?.[1] ?? 'false';
      const ended = spawnSync('bash', ['-c', command], { cwd: at.root, encoding: 'utf8' });
      expect([command, ended.status, ended.stderr]).toEqual([command, 0, '']);
    }
  };
  return { ...at, list, follow };
}

test.each([
  ['git stash drop -q stash@{1}', 1],
  ['git stash drop -q', 1],
  ['git stash drop -q stash@{2}; git reflog expire --expire-unreachable=now --all; git gc -q', 3],
  ['git stash clear', 3],
  ['rm .git/logs/refs/stash', 3],
  [': > .git/logs/refs/stash', 3],
  ['git pack-refs --all; : > .git/logs/refs/stash', 3],
  ['rm .git/logs/refs/stash .git/refs/stash', 3],
  ['git stash pop -q', 1],
] as const)('stashes that a command dropped are named, and come back: %s', async (command, count) => {
  const { after, list, follow, git } = stashed();
  const before = list();
  const { repaired, said, moved } = await after(command);
  expect([repaired.length, said]).toEqual([count, []]);
  expect(moved.filter(({ name }) => name === 'refs/stash')).toEqual([]);
  follow(repaired);
  expect(list()).toEqual(before);
  expect(git('ls-files', '--others')).toBe('');
});

const prune = 'git reflog expire --expire-unreachable=now --all; git gc -q --prune=now';

test('a stash that is dropped and pruned is lost, and no command is offered for it', async () => {
  const { after, git } = stashed();
  const id = git('rev-parse', 'stash@{0}');
  const { repaired, said } = await after(`git stash drop -q; rm -rf .git/logs/refs/stash; ${prune}`);
  expect(said.join('\n')).toContain(id);
  expect(said.every((line) => line.includes('lost'))).toBe(true);
  expect(repaired.join('\n')).not.toContain(id);
});

test('a stash that one command drops and a later one prunes is lost then', async () => {
  const { after, git } = stashed();
  const id = git('rev-parse', 'stash@{1}');
  expect((await after('git stash drop -q stash@{1}')).repaired).toEqual([expect.stringContaining(id)]);
  const later = await after('git reflog expire --expire=now HEAD; git gc -q --prune=now');
  expect(later.said).toEqual([expect.stringContaining(id)]);
  expect((await after('true')).said).toEqual([]);
});

test('stashes that commands made themselves may go again', async () => {
  const { after } = stashed();
  expect((await after('echo x > a; git stash -q')).repaired).toEqual([]);
  expect(await after('git stash pop -q')).toMatchObject({ repaired: [], said: [] });
});
