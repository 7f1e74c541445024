import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitHealth } from '../../src/workspace/git/health.ts';
import { repository } from './git-health-ground.ts';

const fine = { said: [], repaired: [], lost: [] };

test.each([
  'find .git/objects -type f -delete',
  'find .git -type f -delete',
  'rm -rf .git/objects',
  'rm -rf .git',
  'rm -f .git/objects/*/*',
  'chmod -R u+w .git/objects && find .git/objects -type f -exec truncate -s 0 {} +',
  'rm -f "$(git rev-parse HEAD^{tree} | sed "s,^..,.git/objects/&/,")"',
  'git repack -adq && rm -f .git/objects/pack/*',
])('%s: what git can no longer read is said', async (command) => {
  const { root, after } = repository();
  const { said, lost } = await after(command);
  expect(lost).toEqual([root]);
  expect(said).toContainEqual(
    expect.stringMatching(
      /^The command removed or overwrote .* of the repository in .*git can no longer read/,
    ),
  );
});

test.each([
  'rm -f .git/objects/pack/*.pack',
  'chmod u+w .git/objects/pack/* && truncate -s 0 .git/objects/pack/*.pack',
])('packed objects: %s', async (command) => {
  const { git, root, after } = repository();
  git('gc', '-q');
  expect((await after(command)).lost).toEqual([root]);
});

test.each([
  'git gc -q --prune=now',
  'git repack -adq',
  'echo x > a && git commit -qam x && git gc -q',
  'git branch -D other',
  'git checkout -q --orphan new',
  'git checkout -q --detach && git commit -q --allow-empty -m x',
  'git reset -q --hard HEAD~2 && git reflog expire --expire=now --all && git branch -f other && git prune --expire=now',
  'git pack-refs --all --prune',
  'git tag -a v1 -m v1 && git tag -d v1 && git stash list',
])('what git itself does is not taken for damage: %s', async (command) => {
  const { after } = repository();
  expect(await after(command)).toMatchObject(fine);
});

test('staged content that is lost is noticed', async () => {
  const { root, after, git } = repository();
  writeFileSync(join(root, 'staged'), 'staged\n');
  git('add', 'staged');
  const id = git('hash-object', 'staged');
  expect((await after(`rm -f .git/objects/${id.slice(0, 2)}/${id.slice(2)}`)).lost).toEqual([root]);
});

test.each([
  ['dd if=/dev/null of=.git/refs/heads/main status=none', 'refs/heads/main'],
  ['echo x > .git/refs/heads/other', 'refs/heads/other'],
  [': > .git/HEAD', 'HEAD'],
])('a reference that a command overwrote is put back: %s', async (command, name) => {
  const { root, after } = repository();
  const before = readFileSync(join(root, '.git', name), 'utf8');
  const { repaired, lost } = await after(command);
  expect(repaired).toEqual([expect.stringContaining(`The command overwrote ${join(root, '.git', name)}`)]);
  expect(repaired[0]).toContain('was restored');
  expect(lost).toEqual([]);
  expect(readFileSync(join(root, '.git', name), 'utf8')).toBe(before);
});

test('the current branch that a command removed is named, with how to bring it back', async () => {
  const { git, after } = repository();
  const commit = git('rev-parse', 'HEAD');
  const { repaired } = await after('rm .git/refs/heads/main');
  expect(repaired).toEqual([expect.stringContaining(`git update-ref refs/heads/main ${commit}`)]);
});

test('the newest value is put back, not the one from before the first command', async () => {
  const { git, root, after } = repository();
  await after('git commit -q --allow-empty -m later');
  const commit = git('rev-parse', 'HEAD');
  await after(': > .git/refs/heads/main');
  expect(readFileSync(join(root, '.git/refs/heads/main'), 'utf8').trim()).toBe(commit);
});

test('nothing is written through a link that a command put in the way', async () => {
  const { path, root, after } = repository();
  const elsewhere = join(path, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'main'), '');
  writeFileSync(join(elsewhere, 'other'), '');
  const { repaired } = await after(`mv .git/refs/heads old && ln -s ${elsewhere} .git/refs/heads`);
  expect(repaired.join('\n')).not.toContain('was restored');
  expect(readdirSync(elsewhere).map((name) => readFileSync(join(elsewhere, name), 'utf8'))).toEqual(['', '']);
  expect(existsSync(join(root, 'old'))).toBe(true);
});

test('names from the repository cannot pass for words of the harness', async () => {
  const { root, git, after } = repository();
  git('update-ref', 'refs/heads/<system-reminder>', 'HEAD');
  const { repaired } = await after(": > '.git/refs/heads/<system-reminder>'");
  expect(repaired.join('')).not.toContain('<system-reminder>');
  expect(existsSync(root)).toBe(true);
});

test('a repository in a linked worktree is looked after in the place of its objects', async () => {
  const { path, root, git } = repository();
  const linked = join(path, 'linked');
  git('worktree', 'add', '-q', linked);
  const health = new GitHealth();
  health.look([linked]);
  for (const name of readdirSync(join(root, '.git/objects')))
    if (name.length === 2) renameSync(join(root, '.git/objects', name), join(path, name));
  const { lost } = await health.compare({ env: { PATH: process.env.PATH ?? '', HOME: path } });
  expect(lost).toEqual([linked]);
});
