import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type ManualClock, manualClock } from '../../src/lib/clock.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { ground } from './worktree-support.ts';

/** A repository in which git waits for ever as soon as it wants to know what is ignored. */
async function stuckGround() {
  const at = await ground();
  const place = join(at.repository.path, 's');
  mkdirSync(place);
  execFileSync('mkfifo', [join(place, '.gitignore')]);
  return at;
}

/** Processes of git that look for ignored files in a directory. */
function looking(path: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return words.includes('--ignored') && readlinkSync(`/proc/${pid}/cwd`) === path;
    } catch {
      return false;
    }
  });
}

async function untilLooking(path: string): Promise<void> {
  while (looking(path).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
}

test('an ignore file that is a named pipe costs a new worktree a few seconds, and its ignored files', async () => {
  const { repository, world, order } = await stuckGround();
  const clock = manualClock();
  const making = createWorktree(order('x'), { ...world, clock });
  await untilLooking(repository.path);
  await clock.advance(5000);
  const made = await finish(making, clock);
  expect(made.ok && made.value.notes).toEqual([expect.stringContaining('did not end in time')]);
  expect(existsSync(join(repository.path, '.cadre/worktrees/x/a.txt'))).toBe(true);
  expect(looking(repository.path)).toEqual([]);
});

/** What comes between asking git to end and making it. */
async function finish<T>(work: Promise<T>, clock: ManualClock): Promise<T> {
  const done = work.then(() => true);
  const notYet = () => new Promise<false>((resolve) => setTimeout(() => resolve(false), 20));
  while (!(await Promise.race([done, notYet()]))) await clock.advance(1000);
  return work;
}

test('the look at ignored files ends with whoever waits for the worktree', async () => {
  const { repository, world, order } = await stuckGround();
  const over = new AbortController();
  const wanted = order('x');
  const clock = manualClock();
  const fill = { ...wanted.fill, signal: over.signal };
  const making = createWorktree({ ...wanted, fill }, { ...world, clock });
  await untilLooking(repository.path);
  over.abort();
  const made = await finish(making, clock);
  expect(made.ok && made.value.notes).toEqual([expect.stringContaining('was interrupted')]);
  expect(looking(repository.path)).toEqual([]);
});
