import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { findRepository } from '../../src/workspace/worktrees/repository.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';

/** Lands on a checkout of which one directory may not be written. */
export default async function landUnwritable(_: unknown, directory: string) {
  const [work, home] = [join(directory, 'work'), join(directory, 'home')];
  mkdirSync(join(work, 'closed'), { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  const env = { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: work, env, encoding: 'utf8' });
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = T\n\temail = t@example.invalid\n');
  writeFileSync(join(work, 'a.txt'), 'old\n');
  writeFileSync(join(work, 'closed/b.txt'), 'old\n');
  git('init', '-q', '-b', 'main');
  git('add', '--all');
  git('commit', '-qm', 'Start');
  const world = { home, env, clock: systemClock };
  const fill = { copyDirectories: [], linkDirectories: [], sandboxed: false };
  const made = await createWorktree({ cwd: work, slug: 'one', session: 's', agentId: null, fill }, world);
  if (!made.ok) throw new Error(made.problem.message);
  for (const name of ['a.txt', 'closed/b.txt', 'closed/n.txt'])
    writeFileSync(join(made.value.record.path, name), 'new\n');
  await leaveWorktree(made.value.record, world);
  chmodSync(join(work, 'closed'), 0o555);
  const repository = await findRepository(work, world);
  if (!repository.ok) throw new Error(repository.problem.message);
  const landed = await land({ repository: repository.value, world, fill }, { agree: async () => true });
  chmodSync(join(work, 'closed'), 0o755);
  if (!landed.ok) throw new Error(landed.problem.message);
  const [one] = landed.value.landings;
  return { ...(one?.status === 'blocked' ? one : {}), status: git('status', '--porcelain') };
}
