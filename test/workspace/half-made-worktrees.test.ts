import { expect, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { packHistory, unpackHistory } from '../../src/remote/bundle.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { bindGit } from '../../src/workspace/worktrees/repository.ts';
import { get } from '../remote/support.ts';
import { type Ground, ground } from './worktree-support.ts';

/** A worktree as git has it for a moment while it makes one, or what is left for a moment when it removes one. */
function halfMake({ repository }: Ground, files: Record<string, string>): () => void {
  const entry = join(repository.path, '.git', 'worktrees', 'other');
  mkdirSync(entry, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(entry, name), text);
  return () => rmSync(entry, { recursive: true, force: true });
}

const beingMade = { HEAD: `${'0'.repeat(40)}\n`, commondir: '../..\n', gitdir: '/nowhere/.git\n' };
const beingRemoved = { HEAD: `${'0'.repeat(40)}\n`, gitdir: '/nowhere/.git\n', commondir: '' };

/** Pauses between two attempts take no time; limits of git do. */
function pausing(paused: () => void): Clock {
  return {
    ...systemClock,
    after(ms, callback) {
      if (ms >= 1000) return systemClock.after(ms, callback);
      paused();
      return systemClock.after(0, callback);
    },
  };
}

test('WT4 commits are brought in although another worktree is half made just then', async () => {
  const place = await ground();
  const finish = halfMake(place, beingMade);
  const git = bindGit({ ...place.world, clock: pausing(finish) }, place.repository.path);
  get(await unpackHistory(git, await pack(place)));
});

test('WT4 a worktree is made although another one is half removed just then', async () => {
  const place = await ground();
  const finish = halfMake(place, beingRemoved);
  const made = await createWorktree(place.order('mine'), { ...place.world, clock: pausing(finish) });
  expect(get(made).record.state).toBe('ready');
  expect(await place.listed()).toHaveLength(1);
});

test('WT4 a worktree that stays half made is named', async () => {
  const place = await ground();
  const pieces = await pack(place);
  halfMake(place, beingMade);
  let pauses = 0;
  const clock = pausing(() => {
    pauses++;
  });
  const git = bindGit({ ...place.world, clock }, place.repository.path);
  const unpacked = await unpackHistory(git, pieces);
  expect(unpacked.ok ? '' : unpacked.problem.message).toContain('worktrees/other/HEAD');
  expect(pauses).toBe(6);
});

async function pack({ repository, world }: Ground): Promise<string[]> {
  const packed = get(await packHistory(bindGit(world, repository.path), 'HEAD', []));
  return packed?.pieces ?? [];
}
