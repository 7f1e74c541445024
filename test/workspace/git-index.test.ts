import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openTrackedFiles, readIndex } from '../../src/workspace/git/git-index.ts';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');

function openGround() {
  const root = resolveRealPath(temporaryDirectory().path);
  const put = (name: string, text = 'text\n') => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  };
  const git = (...args: string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
      stdio: 'pipe',
    });
  for (const name of ['src/a.txt', 'private/.env', 'private/deep/x.txt']) put(name);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { root, put, git, index: join(root, '.git/index') };
}

gitTest('the files of a whole index are known', () => {
  const { root } = openGround();
  expect(openTrackedFiles().files(root)).toEqual(
    ['private/.env', 'private/deep/x.txt', 'src/a.txt'].map((name) => join(root, name)),
  );
});

gitTest('an index in which directories stand for their files is not taken for a whole one', () => {
  const { root, put, git, index } = openGround();
  git('sparse-checkout', 'set', '--cone', '--sparse-index', 'src');
  const tracked = openTrackedFiles();
  expect([tracked.files(root), readIndex(index)]).toEqual([undefined, undefined]);
  // What is not checked out holds no submodule that git could look into; once it is there it may.
  expect(tracked.submodules(root)).toEqual([]);
  put('private/sub/.git');
  expect(tracked.submodules(root)).toBeUndefined();
});

gitTest('an index in two parts is not taken for a whole one', () => {
  const { root, git } = openGround();
  git('update-index', '--split-index');
  expect(openTrackedFiles().files(root)).toBeUndefined();
});

gitTest('of extensions only those that may be passed over are, wherever they stand', () => {
  const { index } = openGround();
  const bytes = readFileSync(index);
  const extended = (...names: string[]) => {
    const extensions = names.map((name) => Buffer.from(`${name}\0\0\0\x02ab`, 'latin1'));
    writeFileSync(index, Buffer.concat([bytes.subarray(0, -20), ...extensions, bytes.subarray(-20)]));
    return readIndex(index)?.length;
  };
  expect(extended()).toBe(3);
  expect(extended('ZZZZ')).toBe(3);
  expect(extended('ZZZZ', 'new1')).toBeUndefined();
  expect(extended('sdix')).toBeUndefined();
  writeFileSync(
    index,
    Buffer.concat([bytes.subarray(0, -20), Buffer.from('ZZZZ\xff\xff\xff\xff', 'latin1')]),
  );
  expect(readIndex(index)).toBeUndefined();
});

gitTest('an index of the same size and time, with other names, is read again', () => {
  const { root, put, git, index } = openGround();
  const tracked = openTrackedFiles();
  const then = new Date('2020-01-01');
  utimesSync(index, then, then);
  expect(tracked.files(root)?.length).toBe(3);
  const before = readFileSync(index);
  const other = Buffer.from(before);
  other.set(Buffer.from('b'), before.indexOf('a.txt'));
  // In place, as no file of git's changes: the number of the file stays.
  writeFileSync(index, other);
  utimesSync(index, then, then);
  expect(tracked.files(root)).toContain(join(root, 'src/b.txt'));
  put('more.txt');
  git('add', 'more.txt');
  expect(tracked.files(root)).toContain(join(root, 'more.txt'));
  renameSync(index, `${index}.away`);
  expect(tracked.files(root)).toEqual([]);
});
