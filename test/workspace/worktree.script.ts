import { writeFileSync } from 'node:fs';
import { systemClock } from '../../src/lib/clock.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { readRecord } from '../../src/workspace/worktrees/record.ts';
import { discardWorktree } from '../../src/workspace/worktrees/remove.ts';
import { sweepWorktrees } from '../../src/workspace/worktrees/sweep.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';

/**
 * Makes, leaves or drops a worktree in a process of its own, which ends itself without warning at a step: one of this name,
 * or the so-and-so-many-th, as `#3`. The steps that it came to are printed.
 */
const [action = '', repository = '', home = '', slug = '', stop = ''] = process.argv.slice(2);
const steps: string[] = [];
const world = {
  home,
  env: { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
  clock: systemClock,
  step: (name: string) => {
    if (name === stop || `#${steps.length}` === stop) process.kill(process.pid, 'SIGKILL');
    steps.push(name);
  },
};
const fill = { copyDirectories: [], linkDirectories: [], sandboxed: false };

if (action === 'sweep') {
  console.log(JSON.stringify((await sweepWorktrees(world)).map(({ record, end }) => [record.slug, end])));
} else {
  const made = await createWorktree({ cwd: repository, slug, session: 's', agentId: null, fill }, world);
  if (!made.ok) {
    console.log(made.problem.message);
    process.exit(1);
  }
  const { record } = made.value;
  if (action === 'dirty' || action === 'drop') {
    writeFileSync(`${record.path}/new.txt`, 'work');
    writeFileSync(`${home}/worked`, '');
  }
  if (action === 'leave' || action === 'dirty' || action === 'drop') {
    const left = await leaveWorktree(readRecord(home, record.common, slug) ?? record, world);
    console.log(JSON.stringify(left));
  }
  if (action === 'drop') {
    writeFileSync(`${home}/dropping`, '');
    await discardWorktree({ ...record, owner: null }, world);
  }
  if (action === 'create') console.log(record.path);
}
if (stop === 'none') console.log(JSON.stringify(steps));
