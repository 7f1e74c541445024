import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashBytes } from '../../src/lib/hash.ts';
import { isKept } from '../../src/store/files/kept-bytes.ts';
import { ground } from './snapshot-ground.ts';

const prune = 'git reflog expire --expire=now --all; git gc -q --prune=now';

function committed() {
  const at = ground();
  for (const name of ['a', 'b']) at.write(name, `first content of ${name}`);
  at.git('init', '-q');
  at.git('add', '-A');
  at.git('commit', '-qm', 'Start');
  const run = async (snapshot: ReturnType<typeof at.open>, command: string, id = 't1') => {
    const begun = await snapshot.begin(id, null);
    execFileSync('bash', ['-c', command], { cwd: at.work, stdio: 'ignore' });
    begun.end();
    return begun.notices();
  };
  return { ...at, run, objects: join(at.path, 'session', 'git-objects') };
}

describe('files come back also when a command prunes the objects that hold them', () => {
  const ways = {
    committed: ['git add -A; git -c user.name=T -c user.email=t commit -qm b', 'git reset -q --hard HEAD~1'],
    staged: ['git add -A', 'git reset -q --hard'],
    'committed, in a pack': [
      'git add -A; git -c user.name=T -c user.email=t commit -qm b; git gc -q',
      'git reset -q --hard HEAD~1',
    ],
  };
  for (const [way, [before = '', command = '']] of Object.entries(ways))
    test(way, async () => {
      const { open, write, work, run, histories, file, directory } = committed();
      write('a', 'second content of a');
      execFileSync('bash', ['-c', before], { cwd: work });
      const snapshot = open();
      await run(snapshot, `${command}; ${prune}`);
      await snapshot.settle();
      await snapshot.close();
      const hash = hashBytes('second content of a');
      expect(histories().find(({ path }) => path === file('a'))).toMatchObject({ before: hash });
      expect(isKept(directory, hash)).toBe(true);
    });

  test('work that the session itself committed', async () => {
    const { open, run, histories, file, directory } = committed();
    const snapshot = open();
    await run(snapshot, 'echo third > a; git -c user.name=T -c user.email=t commit -qam c');
    await snapshot.settle();
    await run(snapshot, `git reset -q --hard HEAD~1; ${prune}`, 't2');
    await snapshot.settle();
    await snapshot.close();
    const hash = hashBytes('third\n');
    expect(histories().findLast(({ path }) => path === file('a'))).toMatchObject({ before: hash });
    expect(isKept(directory, hash)).toBe(true);
  });

  test('the whole git directory', async () => {
    const { open, run, histories, directory } = committed();
    const snapshot = open();
    await run(snapshot, 'rm -rf .git a b');
    await snapshot.settle();
    await snapshot.close();
    expect(histories().map(({ before }) => before)).toEqual(
      ['a', 'b'].map((name) => hashBytes(`first content of ${name}`)),
    );
    expect(isKept(directory, hashBytes('first content of a'))).toBe(true);
  });
});

test('objects that git still needs and a command removed are put back', async () => {
  const { open, run, git, objects } = committed();
  const snapshot = open();
  expect(await run(snapshot, 'find .git/objects -type f -delete')).toEqual([
    expect.stringContaining('They were put back'),
  ]);
  expect(git('fsck', '--full', '--no-dangling')).toBe('');
  await snapshot.settle();
  await snapshot.close();
  expect(existsSync(objects)).toBe(false);
});

test('nothing stays of the kept objects where git has all of them, also in another pack', async () => {
  const { open, run, objects } = committed();
  const snapshot = open();
  await run(snapshot, 'git gc -q');
  await run(snapshot, 'echo x > a; git -c user.name=T -c user.email=t commit -qam x; git repack -adq', 't2');
  await snapshot.settle();
  await snapshot.close();
  expect(existsSync(objects)).toBe(false);
});

test('what git no longer has stays kept when the session ends, and nothing else', async () => {
  const { open, run, git, objects, write } = committed();
  write('a', 'second content of a');
  git('commit', '-qam', 'Second');
  const id = git('rev-parse', 'HEAD');
  const snapshot = open();
  await run(snapshot, `git reset -q --hard HEAD~1; ${prune}`);
  await snapshot.settle();
  await snapshot.close();
  const [repository = ''] = readdirSync(objects);
  const store = join(objects, repository);
  expect(readdirSync(store)).toEqual(['pack']);
  const packs = readdirSync(join(store, 'pack')).filter((name) => name.endsWith('.idx'));
  const listed = packs.map((name) =>
    execFileSync('git', ['show-index'], { input: readFileSync(join(store, 'pack', name)) }).toString(),
  );
  expect(listed.join('')).toContain(id);
  // The commit, its tree and its one changed file.
  expect(listed.join('').trim().split('\n')).toHaveLength(3);
});

test('a link that a command puts among the objects is not kept', async () => {
  const { open, run, path, objects, write } = committed();
  write('../outside/00000000000000000000000000000000000000', 'secret');
  const snapshot = open();
  await run(snapshot, 'rm -rf .git/objects/ff; ln -s ../../../outside .git/objects/ff');
  await run(
    snapshot,
    'ln -s ../../../../outside/00000000000000000000000000000000000000 .git/objects/info/../$(ls .git/objects | head -1)/11111111111111111111111111111111111111',
    't2',
  );
  await run(snapshot, 'true', 't3');
  const kept = execFileSync('find', [objects, '-name', '0000*', '-o', '-name', '1111*', '-o', '-type', 'l']);
  expect(kept.toString()).toBe('');
  await snapshot.close();
  rmSync(path, { recursive: true });
});
