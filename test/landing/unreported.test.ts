import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import type { WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { expectOk, type Field, field, landAll, reasonOf, states } from './support.ts';

const allow = ['-c', 'protocol.file.allow=always'];

/** A repository with the submodule `parts/lib`, and a new worktree in which that is an empty directory. */
async function openField(): Promise<{ at: Field; record: WorktreeRecord; lib: string }> {
  const at = await field();
  const library = await temporaryWorkspace({ 'l.txt': 'l\n' }, { git: true });
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'parts/lib');
  await at.repository.git('commit', '--quiet', '--message=Submodule');
  // A new worktree has the submodules that its checkout has.
  await at.repository.git('submodule', '--quiet', 'deinit', '--force', 'parts/lib');
  const { record } = expectOk(await createWorktree(at.order('one'), at.landing.world));
  return { at, record, lib: join(record.path, 'parts/lib') };
}

function write(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, 'important\n');
}

const initialise = (at: Field, record: WorktreeRecord) =>
  at.repository.git('-C', record.path, ...allow, 'submodule', '--quiet', 'update', '--init');

type Work = (lib: string, at: Field, record: WorktreeRecord) => unknown;
const cases: [string, string, Work][] = [
  ['a file in its directory', 'z.txt', () => {}],
  ['a file deep in its directory', 'a/b/z.txt', () => {}],
  ['an ignored file', 'z.log', (_, __, { path }) => writeFileSync(join(path, '.gitignore'), '*.log\n')],
  ['a link', 'z', (lib) => symlinkSync('/nowhere', join(lib, 'z'))],
  ['an empty .git beside the file', 'z.txt', (lib) => mkdirSync(join(lib, '.git'))],
  ['a .git that leads nowhere', 'z.txt', (lib) => writeFileSync(join(lib, '.git'), 'gitdir: /nowhere\n')],
  ['a .git that is no link', 'z.txt', (lib) => writeFileSync(join(lib, '.git'), 'text\n')],
  [
    'an index that hides it',
    'z.txt',
    (_, at, { path }) =>
      at.repository.git('-C', path, 'update-index', '--skip-worktree', '--assume-unchanged', 'parts/lib'),
  ],
  ['no line in .gitmodules', 'z.txt', (_, __, { path }) => rmSync(join(path, '.gitmodules'))],
];

test.each(cases)(
  'a submodule that is not initialised, with %s, keeps its worktree and is named',
  async (_, name, work) => {
    const { at, record, lib } = await openField();
    await work(lib, at, record);
    const file = join(lib, name);
    if (name !== 'z') write(file);
    const left = expectOk(await leaveWorktree(record, at.landing.world));
    expect(left).toMatchObject({ kept: true });
    expect(left.kept && left.obstacle).toContain(`parts/lib/${name}`);
    writeFileSync(join(record.path, 'beside.txt'), 'x\n');
    const report = await landAll(at);
    expect(reasonOf(report, 'one')).toContain('the submodule parts/lib holds files that git does not see');
    expect(report.to).toBe(report.from);
    if (name !== 'z') expect(readFileSync(file, 'utf8')).toBe('important\n');
  },
);

test('a submodule inside of one that is initialised is looked at too', async () => {
  const { at, record, lib } = await openField();
  await initialise(at, record);
  const inner = await temporaryWorkspace({ 'i.txt': 'i\n' }, { git: true });
  const git = (...args: string[]) => at.repository.git('-C', lib, ...allow, ...args);
  await git('submodule', '--quiet', 'add', inner.path, 'inner');
  await git('commit', '--quiet', '--message=Inner');
  await git('push', '--quiet', 'origin', 'HEAD:refs/heads/other');
  await git('submodule', '--quiet', 'deinit', '--force', 'inner');
  write(join(lib, 'inner/z.txt'));
  const left = expectOk(await leaveWorktree(record, at.landing.world));
  expect(left.kept && left.obstacle).toContain('parts/lib/inner/z.txt');
});

test('files that stay behind when a submodule is taken out of the index land like others', async () => {
  const { at, record, lib } = await openField();
  write(join(lib, 'z.txt'));
  await at.repository.git('-C', record.path, 'rm', '--quiet', '--cached', 'parts/lib');
  await leaveWorktree(record, at.landing.world);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('show', 'main:parts/lib/z.txt')).toBe('important\n');
});

test('a gitlink of a commit that the agent made itself hides nothing', async () => {
  const at = await field();
  const { record } = expectOk(await createWorktree(at.order('one'), at.landing.world));
  const git = (...args: string[]) => at.repository.git('-C', record.path, ...args);
  await git('update-index', '--add', '--cacheinfo', `160000,${record.base},hidden`);
  await git('commit', '--quiet', '--message=Link');
  write(join(record.path, 'hidden/z.txt'));
  await leaveWorktree(record, at.landing.world);
  expect(reasonOf(await landAll(at), 'one')).toContain('hidden/z.txt');
  expect(existsSync(join(record.path, 'hidden/z.txt'))).toBe(true);
});

test('empty directories in a submodule that is not initialised keep no worktree', async () => {
  const { at, record, lib } = await openField();
  mkdirSync(join(lib, 'a/b'), { recursive: true });
  expect(expectOk(await leaveWorktree(record, at.landing.world))).toEqual({ kept: false });
  expect(await at.listed()).toEqual([]);
});
