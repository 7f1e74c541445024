import { expect, test } from 'bun:test';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { checkSlug } from '../../src/workspace/worktrees/slug.ts';
import { enterAgain, leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { temporaryDirectory } from '../support/index.ts';
import { type Ground, ground, groundAt } from './worktree-support.ts';

async function make(at: Ground, slug: string, more: Parameters<Ground['order']>[1] = {}) {
  const made = await createWorktree(at.order(slug, more), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  return made.value;
}

test('WT1 a name that could be a path, an option or another name for git is refused with the reason', () => {
  const bad = [
    '',
    '..',
    'a..b',
    '-rf',
    '/etc',
    'a/b',
    'a b',
    'a\nb',
    '.git',
    'x.lock',
    'a.',
    'ä',
    'a\0b',
    'x'.repeat(65),
    '~',
    '$(id)',
  ];
  for (const name of bad) expect(checkSlug(name).ok).toBe(false);
  for (const name of ['a', 'Fix-1_b.c', 'x'.repeat(64)]) expect(checkSlug(name).ok).toBe(true);
});

test("WT1 it stands below .cadre/worktrees, on a branch of its own, at the caller's HEAD, locked for this process", async () => {
  const at = await ground();
  const { record } = await make(at, 'one');
  expect(record.path).toBe(join(at.repository.path, '.cadre/worktrees/one'));
  expect(readFileSync(join(record.path, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(await at.branches()).toEqual(['cadre/one/work']);
  const listed = await at.repository.git('worktree', 'list', '--porcelain');
  expect(listed).toContain(`locked cadre session s, process ${process.pid}`);
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(existsSync(join(at.repository.path, '.gitignore'))).toBe(false);
});

test('another ref is where work begins on request, and one that is none is named', async () => {
  const at = await ground();
  await at.repository.write('a.txt', 'changed\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Second');
  const { record } = await make(at, 'old', { from: 'HEAD~1' });
  expect(readFileSync(join(record.path, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
  const none = await createWorktree(at.order('none', { from: '--force' }), at.world);
  expect(none.ok ? '' : none.problem.message).toContain('--force is not a commit');
});

test("uncommitted changes come along on request; the caller's index and files stay as they are", async () => {
  const at = await ground();
  await at.repository.write('a.txt', 'staged\n');
  await at.repository.git('add', 'a.txt');
  await at.repository.write('a.txt', 'unstaged\n');
  await at.repository.write('new.txt', 'untracked\n');
  const before = await at.repository.git('status', '--porcelain');
  const { record } = await make(at, 'carry', { uncommitted: true });
  expect(readFileSync(join(record.path, 'a.txt'), 'utf8')).toBe('unstaged\n');
  expect(readFileSync(join(record.path, 'new.txt'), 'utf8')).toBe('untracked\n');
  expect(await at.repository.git('status', '--porcelain')).toBe(before);
  const left = await leaveWorktree(record, at.world);
  expect(left).toEqual({ ok: true, value: { kept: false } });
});

test('a detached HEAD is as good as a branch', async () => {
  const at = await ground();
  await at.repository.git('checkout', '--quiet', '--detach');
  expect((await make(at, 'one')).record.branch).toBe('cadre/one/work');
});

test('outside git, in a bare repository and without a commit the reason says so', async () => {
  const plain = await createWorktree(
    { ...(await ground()).order('x'), cwd: temporaryDirectory().path },
    (await ground()).world,
  );
  expect(plain.ok ? '' : plain.problem.message).toContain('is not in a git repository');
  const bare = await temporaryWorkspace();
  await bare.git('init', '--quiet', '--bare');
  const inBare = groundAt(bare);
  const refused = await createWorktree(inBare.order('x'), inBare.world);
  expect(refused.ok ? '' : refused.problem.message).toContain('bare repository');
  const empty = await temporaryWorkspace();
  await empty.git('init', '--quiet');
  const inEmpty = groundAt(empty);
  const none = await createWorktree(inEmpty.order('x'), inEmpty.world);
  expect(none.ok ? '' : none.problem.message).toContain('no commit yet');
});

test('a repository with a submodule, and the submodule itself, can be worked beside', async () => {
  const inner = await ground();
  const outer = await ground();
  await outer.repository.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    inner.repository.path,
    'sub',
  );
  await outer.repository.git('commit', '--quiet', '--message=Submodule');
  const { record } = await make(outer, 'one');
  expect(existsSync(join(record.path, '.gitmodules'))).toBe(true);
  const within = await make(outer, 'two', { cwd: outer.repository.file('sub') });
  expect(within.record.path).toBe(outer.repository.file('sub/.cadre/worktrees/two'));
  for (const one of [record, within.record])
    expect(await leaveWorktree(one, outer.world)).toEqual({ ok: true, value: { kept: false } });
});

test('from inside a worktree another one stands beside it and begins at its HEAD', async () => {
  const at = await ground();
  const { record } = await make(at, 'one');
  const { record: second } = await make(at, 'two', { cwd: record.path });
  expect(second.path).toBe(join(at.repository.path, '.cadre/worktrees/two'));
});

test('a name that is taken is refused, and nothing of the first is touched', async () => {
  const at = await ground();
  const { record } = await make(at, 'one');
  writeFileSync(join(record.path, 'work.txt'), 'x');
  const again = await createWorktree(at.order('one'), at.world);
  expect(again.ok ? '' : again.problem.message).toBe('The worktree one already exists.');
  expect(existsSync(join(record.path, 'work.txt'))).toBe(true);
});

test('a branch named cadre, and a link in place of the directory, are named and nothing is made', async () => {
  const at = await ground();
  await at.repository.git('branch', 'cadre');
  const clash = await createWorktree(at.order('one'), at.world);
  expect(clash.ok ? '' : clash.problem.message).toContain('The branch cadre is in the way');
  expect(clash.ok ? '' : clash.problem.hint).toBe('Rename it: git branch -m cadre NAME.');
  const linked = await ground();
  symlinkSync(temporaryDirectory().path, linked.repository.file('.cadre'));
  const refused = await createWorktree(linked.order('one'), linked.world);
  expect(refused.ok ? '' : refused.problem.message).toContain('is not a directory');
  expect(listRecords(at.home).concat(listRecords(linked.home))).toEqual([]);
});

test('WT3 unchanged it is removed with its branch and leaves no trace', async () => {
  const at = await ground();
  const { record } = await make(at, 'one');
  expect(existsSync(record.path)).toBe(true);
  expect(await leaveWorktree(record, at.world)).toEqual({ ok: true, value: { kept: false } });
  expect(await at.listed()).toEqual([]);
  expect(await at.branches()).toEqual([]);
  expect(listRecords(at.home)).toEqual([]);
  expect(existsSync(at.repository.file('.git/refs/heads/cadre/one'))).toBe(false);
});

const works: [string, (path: string, git: (...args: string[]) => Promise<string>) => Promise<unknown>][] = [
  ['a modified file', async (path) => writeFileSync(join(path, 'a.txt'), 'one\nchanged\nthree\n')],
  ['an untracked file', async (path) => writeFileSync(join(path, 'new.txt'), 'x\n')],
  [
    'a commit',
    async (path, git) => {
      writeFileSync(join(path, 'a.txt'), 'committed\n');
      await git('-C', path, 'commit', '--quiet', '--all', '--message=Work');
    },
  ],
  [
    'a change that git was told not to look at',
    async (path, git) => {
      await git('-C', path, 'update-index', '--assume-unchanged', 'a.txt');
      writeFileSync(join(path, 'a.txt'), 'hidden\n');
    },
  ],
  [
    'a commit on another branch, with its own branch left behind',
    async (path, git) => {
      await git('-C', path, 'checkout', '--quiet', '--detach');
      writeFileSync(join(path, 'a.txt'), 'detached\n');
      await git('-C', path, 'commit', '--quiet', '--all', '--message=Work');
    },
  ],
];

for (const [name, work] of works)
  test(`WT3 ${name} keeps it, and path, branch and diffstat are returned`, async () => {
    const at = await ground();
    const { record } = await make(at, 'one');
    await work(record.path, at.repository.git);
    const left = await leaveWorktree(record, at.world);
    if (!left.ok || !left.value.kept) throw new Error('it is gone');
    expect(left.value.branch).toBe('cadre/one/work');
    expect(left.value.diffstat.files).toHaveLength(1);
    expect(await at.listed()).toEqual([record.path]);
    expect(await at.repository.git('worktree', 'list', '--porcelain')).not.toContain('locked');
  });

test('ignored files that the work made do not keep it', async () => {
  const at = await ground({ '.gitignore': 'build/\n', 'a.txt': 'a' });
  const { record } = await make(at, 'one');
  mkdirSync(join(record.path, 'build'));
  writeFileSync(join(record.path, 'build/out'), 'x');
  expect(await leaveWorktree(record, at.world)).toEqual({ ok: true, value: { kept: false } });
});

test('WT2 under a sandbox dependencies are links into the main checkout, with caches of their own', async () => {
  const at = await ground({ '.gitignore': 'node_modules/\n', 'a.txt': 'a' });
  await at.repository.write('node_modules/left/index.js', 'left');
  await at.repository.write('node_modules/.cache/big', 'cached');
  await at.repository.write('packages/p/node_modules/inner/index.js', 'inner');
  const fill = { copyDirectories: [], linkDirectories: [], sandboxed: true };
  const { record, notes } = await make(at, 'one', { fill });
  expect(notes).toEqual([]);
  expect(readlinkSync(join(record.path, 'node_modules/left'))).toBe(at.repository.file('node_modules/left'));
  expect(readFileSync(join(record.path, 'packages/p/node_modules/inner/index.js'), 'utf8')).toBe('inner');
  expect(lstatSync(join(record.path, 'node_modules/.cache')).isDirectory()).toBe(true);
  expect(existsSync(join(record.path, 'node_modules/.cache/big'))).toBe(false);
  expect(await leaveWorktree(record, at.world)).toEqual({ ok: true, value: { kept: false } });
  expect(await at.repository.read('node_modules/left/index.js')).toBe('left');
});

test('WT2 without a sandbox, and for worktree.copyDirectories, they are copied', async () => {
  const at = await ground({ '.gitignore': 'node_modules/\ntarget/\n', 'a.txt': 'a' });
  await at.repository.write('node_modules/left/index.js', 'left');
  await at.repository.write('target/debug/out', 'built');
  const plain = await make(at, 'one');
  expect(lstatSync(join(plain.record.path, 'node_modules/left')).isDirectory()).toBe(true);
  expect(existsSync(join(plain.record.path, 'target'))).toBe(false);
  const fill = { copyDirectories: ['target', 'node_modules'], linkDirectories: [], sandboxed: true };
  const { record } = await make(at, 'two', { fill });
  expect(lstatSync(join(record.path, 'node_modules/left')).isDirectory()).toBe(true);
  expect(readFileSync(join(record.path, 'target/debug/out'), 'utf8')).toBe('built');
});

test('.worktreeinclude copies the ignored files that it names, and only ignored ones', async () => {
  const at = await ground({
    '.gitignore': '.env\n*.key\n',
    '.worktreeinclude': '.env\nnotes.txt\nconfig/*.key\n',
    'a.txt': 'a',
  });
  await at.repository.write('.env', 'SECRET=1');
  await at.repository.write('config/a.key', 'key');
  await at.repository.write('other.key', 'other');
  await at.repository.write('notes.txt', 'untracked, not ignored');
  const { record } = await make(at, 'one');
  expect(readFileSync(join(record.path, '.env'), 'utf8')).toBe('SECRET=1');
  expect(readFileSync(join(record.path, 'config/a.key'), 'utf8')).toBe('key');
  expect(existsSync(join(record.path, 'other.key'))).toBe(false);
  expect(existsSync(join(record.path, 'notes.txt'))).toBe(false);
});

test('a link in the checkout does not lead a copied file out of the worktree', async () => {
  const outside = temporaryDirectory().path;
  const at = await ground({ '.gitignore': 'sub/secret\n', '.worktreeinclude': 'sub/secret\n', 'a.txt': 'a' });
  symlinkSync(outside, at.repository.file('sub'));
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Link');
  await at.repository.git('rm', '--quiet', '--cached', 'sub');
  await Bun.$`rm ${at.repository.file('sub')}`.quiet();
  await at.repository.write('sub/secret', 'x');
  const { record } = await make(at, 'one');
  expect(lstatSync(join(record.path, 'sub')).isSymbolicLink()).toBe(true);
  expect(existsSync(join(outside, 'secret'))).toBe(false);
});

test('no hook, filter or monitor of the repository runs', async () => {
  const at = await ground({ '.gitattributes': '*.txt filter=evil\n', 'a.txt': 'a\n' });
  const proof = join(temporaryDirectory().path, 'ran');
  writeFileSync(at.repository.file('.git/hooks/post-checkout'), `#!/bin/sh\ntouch ${proof}\n`, {
    mode: 0o755,
  });
  for (const key of ['filter.evil.smudge', 'filter.evil.clean', 'core.fsmonitor'])
    await at.repository.git('config', key, `touch ${proof}; cat`);
  const { record } = await make(at, 'one');
  await leaveWorktree(record, at.world);
  expect(existsSync(proof)).toBe(false);
});

test('one that was removed is made again where it was, at its branch or at what it began from', async () => {
  const at = await ground();
  const { record } = await make(at, 'one');
  const fill = at.order('one').fill;
  await leaveWorktree(record, at.world);
  const again = await enterAgain(record, fill, at.world);
  expect(again.ok && existsSync(join(record.path, 'a.txt'))).toBe(true);
  writeFileSync(join(record.path, 'a.txt'), 'work\n');
  await at.repository.git('-C', record.path, 'commit', '--quiet', '--all', '--message=Work');
  await leaveWorktree(record, at.world);
  await at.repository.git('worktree', 'remove', '--force', record.path);
  expect((await enterAgain(record, fill, at.world)).ok).toBe(true);
  expect(readFileSync(join(record.path, 'a.txt'), 'utf8')).toBe('work\n');
});
