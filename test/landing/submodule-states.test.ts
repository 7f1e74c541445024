import { expect, test } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryWorkspace, temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import type { WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { expectOk, type Field, field, landAll, reasonOf, states } from './support.ts';

interface Scene {
  at: Field;
  library: TemporaryWorkspace;
  /** Git in the submodule of the user's checkout. */
  lib(...args: string[]): Promise<string>;
}

const allow = ['-c', 'protocol.file.allow=always'];

/** A repository with the submodule `lib`; `before`: what its remote holds when it is added. */
async function scene(before?: (library: TemporaryWorkspace) => Promise<void>): Promise<Scene> {
  const library = await temporaryWorkspace({ 'l.txt': '1\n' }, { git: true });
  await before?.(library);
  const at = await field();
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'lib');
  await at.repository.git('commit', '--quiet', '--message=Submodule');
  const path = at.repository.file('lib');
  return { at, library, lib: (...args) => at.repository.git('-C', path, ...allow, ...args) };
}

async function commit({ path, git }: TemporaryWorkspace, text: string): Promise<void> {
  writeFileSync(join(path, 'l.txt'), `${text}\n`);
  await git('commit', '--quiet', '--all', `--message=${text}`);
}

async function record({ at }: Scene): Promise<void> {
  await at.repository.git('add', 'lib');
  await at.repository.git('commit', '--quiet', '--message=Move lib');
}

const make = async ({ at }: Scene): Promise<WorktreeRecord> =>
  expectOk(await createWorktree(at.order('one'), at.landing.world)).record;

const inside = ({ at }: Scene, { path }: WorktreeRecord, ...args: string[]) =>
  at.repository.git('-C', join(path, 'lib'), ...args);

const listRefs = ['for-each-ref', '--format=%(refname) %(objectname) %(symref)'];

/** The states that blocked every worktree: `lib` is elsewhere than the local default branch, or a tag is on no branch. */
const ordinary: [string, () => Promise<Scene>][] = [
  [
    'moved with `git submodule update --remote`',
    async () => {
      const here = await scene();
      await commit(here.library, '2');
      await commit(here.library, '3');
      await here.at.repository.git(...allow, 'submodule', '--quiet', 'update', '--remote');
      await record(here);
      return here;
    },
  ],
  [
    'at another branch of its remote than the default one',
    async () => {
      const here = await scene(async (library) => {
        await library.git('checkout', '--quiet', '-b', 'stable');
        await commit(library, '2');
        await library.git('checkout', '--quiet', 'main');
      });
      await here.lib('checkout', '--quiet', '--detach', 'origin/stable');
      await record(here);
      return here;
    },
  ],
  [
    'of a remote with a tag that is on no branch',
    () =>
      scene(async (library) => {
        await library.git('checkout', '--quiet', '--detach');
        await commit(library, '2');
        await library.git('tag', '--annotate', '--message=old', 'v0');
        await library.git('checkout', '--quiet', 'main');
      }),
  ],
  [
    'at a commit of the user that is not pushed',
    async () => {
      const here = await scene();
      writeFileSync(here.at.repository.file('lib/l.txt'), 'mine\n');
      await here.lib('checkout', '--quiet', '-b', 'wip');
      await here.lib('commit', '--quiet', '--all', '--message=Mine');
      await record(here);
      return here;
    },
  ],
];

test.each(ordinary)(
  'WT10 a submodule %s has the refs of its remotes in a worktree, and blocks nothing',
  async (_, prepare) => {
    const here = await prepare();
    const { at } = here;
    expect(await at.repository.git('status', '--porcelain')).toBe('');
    const made = await make(here);
    expect(await inside(here, made, ...listRefs)).toBe(
      await here.lib(...listRefs, 'refs/remotes', 'refs/tags'),
    );
    writeFileSync(join(made.path, 'x.txt'), 'x\n');
    expectOk(await leaveWorktree(made, at.landing.world));
    expect(states(await landAll(at))).toEqual({ one: 'landed' });
    expect(await at.listed()).toEqual([]);
  },
);

test.each(ordinary)(
  'WT10 a worktree with a submodule %s in which nothing was done is removed',
  async (_, prepare) => {
    const here = await prepare();
    const made = await make(here);
    expect(expectOk(await leaveWorktree(made, here.at.landing.world))).toEqual({ kept: false });
    expect(existsSync(made.path)).toBe(false);
  },
);

test('WT10 an agent moves a submodule to what the user has fetched, and it lands', async () => {
  const here = await scene();
  await commit(here.library, '2');
  await here.lib('fetch', '--quiet');
  const made = await make(here);
  await inside(here, made, 'checkout', '--quiet', 'origin/main');
  expectOk(await leaveWorktree(made, here.at.landing.world));
  expect(states(await landAll(here.at))).toEqual({ one: 'landed' });
  const pinned = (await here.at.repository.git('rev-parse', 'HEAD:lib')).trim();
  expect(await here.library.git('rev-parse', 'main')).toBe(`${pinned}\n`);
});

test('WT10 a branch of the user that is not pushed is no remote branch in a worktree, and its commits do not land', async () => {
  const here = await scene();
  await here.lib('checkout', '--quiet', '-b', 'wip');
  writeFileSync(here.at.repository.file('lib/l.txt'), 'mine\n');
  await here.lib('commit', '--quiet', '--all', '--message=Mine');
  const wip = (await here.lib('rev-parse', 'wip')).trim();
  const made = await make(here);
  expect(await inside(here, made, 'for-each-ref')).not.toContain('wip');
  expect(await inside(here, made, 'config', '--list', '--local')).not.toContain('wip');
  await inside(here, made, 'checkout', '--quiet', '--detach', wip);
  expectOk(await leaveWorktree(made, here.at.landing.world));
  const report = await landAll(here.at);
  expect(reasonOf(report, 'one')).toMatch(/lib holds 1 commit that no remote has, as last fetched: push it/);
  expect(report.to).toBe(report.from);
  expect(here.library.git('cat-file', '-e', wip)).rejects.toThrow();
});

test('WT10 a tag that an agent makes is named, with what to do, since git cannot tell where it came from', async () => {
  const here = await scene();
  const made = await make(here);
  writeFileSync(join(made.path, 'lib/l.txt'), 'new\n');
  await inside(here, made, 'commit', '--quiet', '--all', '--message=Inner');
  await inside(here, made, 'tag', 'v9');
  await inside(here, made, 'checkout', '--quiet', '--detach', 'HEAD~1');
  expectOk(await leaveWorktree(made, here.at.landing.world));
  expect(reasonOf(await landAll(here.at), 'one')).toMatch(/lib has the tag v9.*git tag -d/);
  await inside(here, made, 'tag', '--delete', 'v9');
  await landAll(here.at);
  expect(await here.at.listed()).toEqual([]);
});

test('WT10 all remotes of a submodule are in its worktree with their addresses', async () => {
  const here = await scene();
  const fork = await temporaryWorkspace({ 'l.txt': 'fork\n' }, { git: true });
  await here.lib('remote', 'add', 'fork', fork.path);
  await here.lib('fetch', '--quiet', 'fork');
  const made = await make(here);
  expect(await inside(here, made, 'remote', '--verbose')).toBe(await here.lib('remote', '--verbose'));
  expect(await inside(here, made, ...listRefs)).toContain('refs/remotes/fork/main');
});

test('WT10 a shallow submodule has the branches of its remote in a worktree too', async () => {
  const here = await scene();
  await commit(here.library, '2');
  await here.lib(
    'fetch',
    '--quiet',
    '--depth=1',
    `file://${here.library.path}`,
    '+main:refs/remotes/origin/main',
  );
  const made = await make(here);
  expect(await inside(here, made, ...listRefs)).toBe(
    await here.lib(...listRefs, 'refs/remotes', 'refs/tags'),
  );
  expectOk(await leaveWorktree(made, here.at.landing.world));
  expect(await here.at.listed()).toEqual([]);
});
