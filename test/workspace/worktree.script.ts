import { systemClock } from '../../src/lib/clock.ts';
import { leaveWorktree } from '../../src/workspace/worktree.ts';
import { createWorktree } from '../../src/workspace/worktree-create.ts';
import { readRecord } from '../../src/workspace/worktree-record.ts';
import { sweepWorktrees } from '../../src/workspace/worktree-sweep.ts';

/** Makes or leaves a worktree in a process of its own, which ends itself without warning at a step. */
const [action = '', repository = '', home = '', slug = '', stop = ''] = process.argv.slice(2);
const world = {
  home,
  env: { PATH: process.env.PATH ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
  clock: systemClock,
  step: (name: string) => {
    if (name === stop) process.kill(process.pid, 'SIGKILL');
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
  if (action === 'dirty') await Bun.write(`${record.path}/new.txt`, 'work');
  if (action === 'leave' || action === 'dirty') {
    const left = await leaveWorktree(readRecord(home, record.common, slug) ?? record, world);
    console.log(JSON.stringify(left));
  }
  if (action === 'create') console.log(record.path);
}
