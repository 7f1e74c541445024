import { expect, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitStates, readStates } from '../../../src/session/remote/carried-files.ts';
import { createWorktree } from '../../../src/workspace/worktrees/create.ts';
import { dropRecord } from '../../../src/workspace/worktrees/record.ts';
import { discardWorktree } from '../../../src/workspace/worktrees/remove.ts';
import { findRepository } from '../../../src/workspace/worktrees/repository.ts';
import { get } from '../../remote/support.ts';
import { ground } from '../../workspace/worktree-support.ts';

/** A session with two agents in worktrees, of which one ends with nothing in it. */
async function open() {
  const { world, order, repository } = await ground();
  const [stays, goes] = [
    get(await createWorktree(order('stays'), world)).record,
    get(await createWorktree(order('goes'), world)).record,
  ];
  writeFileSync(join(stays.path, 'b.txt'), 'two\n');
  const { top, common } = get(await findRepository(repository.path, world));
  return { world, part: { top, common, session: 's' }, goes };
}

test('RM4 a worktree that is removed while files are read to be carried is left out', async () => {
  const { world, part, goes } = await open();
  const reading = readStates(part, world);
  // The list is read by now, and no worktree.
  rmSync(goes.path, { recursive: true });
  dropRecord(world.home, goes);
  expect(get(await reading).map(({ record }) => record?.slug)).toEqual([undefined, 'stays']);
});

test('RM4 files that were read are carried although their worktree is gone by then', async () => {
  const { world, part, goes } = await open();
  const states = get(await readStates(part, world));
  get(await discardWorktree(goes, world));
  expect(existsSync(goes.path)).toBe(false);
  const { worktrees } = get(await commitStates(part, states, world));
  expect(worktrees.map(({ slug }) => slug).sort()).toEqual(['goes', 'stays']);
});
