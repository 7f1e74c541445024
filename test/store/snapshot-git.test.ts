import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { isKept } from '../../src/store/files/kept-bytes.ts';
import { needs } from '../support/index.ts';
import { countingGit, ground } from './snapshot-ground.ts';

/** A repository whose files are all committed. */
function committed() {
  const at = ground();
  for (const name of ['a', 'b', 'src/c']) at.write(name, `content of ${name}`);
  at.git('init', '-q');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Start');
  return at;
}

/** The objects in a pack that is too large to be copied, so that it is emptied under its second name too. */
function packed() {
  const at = committed();
  at.write('large', randomBytes(100_000).toString('base64'));
  at.git('add', '-A');
  at.git('commit', '-qm', 'Large');
  at.git('gc', '-q');
  const emptyAll = () =>
    execFileSync('bash', ['-c', 'chmod u+w *; truncate -s 0 *'], { cwd: at.file('.git/objects/pack') });
  return { ...at, emptyAll };
}

test('a command that empties objects of git is told of at once, and in its record', async () => {
  const { open, records, emptyAll } = packed();
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  emptyAll();
  command.end();
  const lost = expect.stringContaining('git can no longer read the whole repository');
  expect(await command.notices()).toEqual([lost]);
  await snapshot.settle();
  await snapshot.close();
  expect(records).toMatchObject([{ type: 'command-files', toolUseId: 't1', lost: [lost] }]);
});

test('files whose content only git held come back also when one command takes the objects and the next one the files', async () => {
  const { open, file, histories, directory, emptyAll } = packed();
  const snapshot = open();
  const first = await snapshot.begin('t1', null);
  emptyAll();
  first.end();
  await first.notices();
  const second = await snapshot.begin('t2', null);
  for (const name of ['a', 'b', 'src']) rmSync(file(name), { recursive: true });
  second.end();
  await snapshot.settle();
  await snapshot.close();
  for (const name of ['a', 'b', 'src/c']) {
    const hash = hashBytes(`content of ${name}`);
    expect(histories().find(({ path }) => path === file(name))).toMatchObject({ before: hash, after: null });
    expect(isKept(directory, hash)).toBe(true);
  }
});

test('what a command did to git is told of also when another command started meanwhile', async () => {
  const { open, emptyAll } = packed();
  const snapshot = open();
  const first = await snapshot.begin('t1', null);
  emptyAll();
  const second = await snapshot.begin('t2', null);
  second.end();
  first.end();
  const said = [...(await first.notices()), ...(await second.notices())];
  expect(said).toEqual([expect.stringContaining('git can no longer read the whole repository')]);
  await snapshot.settle();
  await snapshot.close();
});

test('small objects that a command empties are put back', async () => {
  const { open, file, git } = committed();
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  execFileSync('bash', ['-c', 'chmod u+w ??/*; truncate -s 0 ??/*'], { cwd: file('.git/objects') });
  command.end();
  expect(await command.notices()).toEqual([expect.stringContaining('They were put back')]);
  expect(git('fsck', '--full')).toBe('');
  await snapshot.settle();
  await snapshot.close();
});

describe('files come back from git whatever a command does to the rest of its data', () => {
  const ways = {
    'packed references that are nonsense': 'git pack-refs --all; echo 0 > .git/packed-refs',
    'packed references that are a pipe': 'rm -f .git/packed-refs; mkfifo .git/packed-refs',
    'packed references that are a directory': 'rm -f .git/packed-refs; mkdir .git/packed-refs',
    'an index that is a pipe': 'rm .git/index; mkfifo .git/index',
    'an index that is nonsense': 'echo x > .git/index',
    'a head that is a pipe': 'rm .git/HEAD; mkfifo .git/HEAD',
    'a head that names nothing': 'echo ref: refs/heads/nothere > .git/HEAD',
    'a branch that is a pipe': 'rm .git/refs/heads/main; mkfifo .git/refs/heads/main',
    'a branch that names nothing': 'printf %040d 7 > .git/refs/heads/main',
    'pipes where git looks for more':
      'mkdir -p .git/objects/info; mkfifo .git/objects/info/alternates .git/info/grafts .git/shallow',
    'settings that git cannot read': 'echo [ > .git/config',
    'an older shape of the repository': 'git config core.repositoryFormatVersion 99',
    'broken lists of commits and packs':
      'git repack -adq; echo x > .git/objects/pack/multi-pack-index; echo x > .git/objects/info/commit-graph',
    'objects that stand for others':
      'git replace $(git rev-parse HEAD:a) $(echo EVIL | git hash-object -w --stdin)',
  };
  for (const [what, way] of Object.entries(ways))
    needs('mkfifo')(what, async () => {
      const { open, file, histories, directory, work } = committed();
      const snapshot = open();
      const command = await snapshot.begin('t1', null);
      execFileSync('bash', ['-c', `${way}; rm -rf a src`], { cwd: work });
      command.end();
      await command.notices();
      await snapshot.settle();
      await snapshot.close();
      for (const name of ['a', 'src/c']) {
        const hash = hashBytes(`content of ${name}`);
        expect(histories().find(({ path }) => path === file(name))).toMatchObject({ before: hash });
        expect(isKept(directory, hash)).toBe(true);
      }
      expect(readdirSync(directory).filter((name) => name.startsWith('git-'))).toEqual([]);
    });
});

test('in a repository with long ids', async () => {
  const { open, file, histories, write, git } = ground();
  write('a', 'content of a');
  git('init', '-q', '--object-format=sha256');
  git('add', '-A');
  git('commit', '-qm', 'Start');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  rmSync(file('a'));
  command.end();
  await snapshot.settle();
  await snapshot.close();
  expect(histories()).toMatchObject([{ path: file('a'), before: hashBytes('content of a'), after: null }]);
});

test('where a command moved references is in its record', async () => {
  const { open, records, work, git } = committed();
  const before = git('rev-parse', 'HEAD');
  const snapshot = open();
  const command = await snapshot.begin('t1', null);
  git('checkout', '-qb', 'topic');
  git('branch', '-D', 'main');
  command.end();
  expect(await command.notices()).toEqual([]);
  await snapshot.settle();
  await snapshot.close();
  expect(records).toMatchObject([
    {
      references: [
        { root: work, name: 'HEAD', before: 'refs/heads/main', after: 'refs/heads/topic' },
        { root: work, name: 'refs/heads/main', before, after: null },
        { root: work, name: 'refs/heads/topic', before: null, after: before },
      ],
    },
  ]);
  expect(JSON.stringify(records[0])).not.toContain('"lost"');
});

test('a file whose object git lost before the session comes back as it was', async () => {
  const at = ground();
  at.git('init', '-q');
  for (const name of ['lost', 'there']) at.write(name, `${name} text`);
  at.git('add', '-A');
  at.git('commit', '-qm', 'one');
  const id = at.git('rev-parse', 'HEAD:lost');
  rmSync(at.file(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
  const snapshot = at.open();
  const command = await snapshot.begin('t1', null);
  for (const name of ['lost', 'there']) rmSync(at.file(name));
  command.end();
  await snapshot.settle();
  const kept = at.histories().map(({ path, before }) => [path, before && isKept(at.directory, before)]);
  expect(kept).toEqual([
    [at.file('lost'), true],
    [at.file('there'), true],
  ]);
});

test('git is not asked for what stood in for a directory while a command ran', async () => {
  const { env, lists } = countingGit();
  const { open, write, file, git } = ground({ env });
  git('init', '-q');
  write('a', 'a');
  git('add', '-A');
  git('commit', '-qm', 'Start');
  const snapshot = open();
  await snapshot.prepare();
  const before = lists();
  for (const id of ['t1', 't2', 't3']) {
    const command = await snapshot.begin(id, null);
    mkdirSync(join(file('.cadre'), 'held'), { recursive: true });
    write('a', id);
    // As the sandbox does it: when the result is given.
    setImmediate(() => rmSync(file('.cadre'), { recursive: true }));
    command.end();
    await snapshot.settle();
  }
  expect(before).toBeGreaterThan(0);
  expect(lists()).toBe(before);
  await snapshot.close();
});
