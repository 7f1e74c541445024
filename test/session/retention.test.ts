import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { say } from '../../src/testing/index.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { open, type Place, place } from './support.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** One run with a clock that is ahead by this many days. */
async function runAhead(at: Place, days: number): Promise<string> {
  const clock = { ...systemClock, now: () => Date.now() + days * dayMs };
  const { session, prompt } = await open(at, [say('Well.')], { clock });
  await prompt('Hello');
  await session.close();
  return session.info().transcriptPath ?? '';
}

test('one run with a clock 400 days ahead removes no session, and neither does the next one', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const [early, first] = [await runAhead(at, 0), await runAhead(at, 400)];
  const last = await runAhead(at, 0);
  expect([early, first, last].map((path) => existsSync(path))).toEqual([true, true, true]);
});

test('a session that was old at the last sweep is removed by the next', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const old = await runAhead(at, 0);
  const before = new Date(Date.now() - 40 * dayMs);
  for (const path of [old, old.replace(/\.jsonl$/, '')])
    if (existsSync(path)) utimesSync(path, before, before);
  await runAhead(at, 2);
  expect(existsSync(old)).toBe(false);
});

test('an old session stays while it has a worktree with work that is not landed', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const env = { ...at.environment, PATH: process.env.PATH ?? '' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at.cwd, env });
  git('init', '-q');
  const author = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid'];
  git(...author, 'commit', '-q', '--allow-empty', '-m', 'Start');
  const old = await runAhead(at, 0);
  const fill = { copyDirectories: [], linkDirectories: [], sandboxed: false };
  const order = { cwd: at.cwd, slug: 'one', session: basename(old, '.jsonl'), agentId: null, fill };
  const world = { home: at.home, env, clock: systemClock };
  const made = await createWorktree(order, world);
  if (!made.ok) throw new Error(made.problem.message);
  writeFileSync(join(made.value.record.path, 'new.txt'), 'work');
  await leaveWorktree(made.value.record, world);
  const before = new Date(Date.now() - 40 * dayMs);
  for (const path of [old, old.replace(/\.jsonl$/, '')])
    if (existsSync(path)) utimesSync(path, before, before);
  await runAhead(at, 2);
  expect(existsSync(old)).toBe(true);
});

test('G5 sessions that had to go for the size limit are named at the next start, once', async () => {
  const at = place();
  mkdirSync(at.cwd, { recursive: true });
  const settings = '{"cleanupMaxMegabytes":1}';
  const run = async () => {
    const { session, prompt, events } = await open(at, [say('Well.')], { settings });
    await prompt('Hello');
    await session.close();
    return { path: session.info().transcriptPath ?? '', said: JSON.stringify(events) };
  };
  const first = await run();
  writeFileSync(first.path, 'x'.repeat(2 * 1024 * 1024));
  rmSync(join(at.home, '.swept'));
  const second = await run();
  expect([first.path, second.path].map((path) => existsSync(path))).toEqual([false, true]);
  expect((await run()).said).toContain('Removed 1 of the longest unused sessions (2 MB)');
  expect((await run()).said).not.toContain('longest unused');
});
