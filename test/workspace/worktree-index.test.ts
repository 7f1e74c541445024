import { expect } from 'bun:test';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveRealPath } from '../../src/workspace/real-path.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { craftIndex } from '../support/crafted-index.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { ground } from './worktree-support.ts';

const gitTest = needs('git');

/** A worktree whose index names a file outside, which git would read and store. */
async function misled(name: (outside: string) => string) {
  const at = await ground();
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  const { path } = made.value.record;
  const outside = join(at.home, 'secret');
  writeFileSync(outside, 'kept outside\n');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, encoding: 'utf8', stdio: 'pipe' }).trim();
  const index = git('rev-parse', '--path-format=absolute', '--git-path', 'index');
  const id = git('rev-parse', 'HEAD:a.txt');
  writeFileSync(
    index,
    craftIndex([
      { name: name(outside), id },
      { name: 'a.txt', id },
    ]),
  );
  const isStored = () =>
    spawnSync('git', ['cat-file', '-e', git('hash-object', outside)], { cwd: path }).status === 0;
  return { at, record: made.value.record, path, index, git, isStored };
}

for (const [how, name] of Object.entries({
  'by its whole path': (outside: string) => outside,
  'by the way up': (outside: string) => `${'../'.repeat(30)}${outside.slice(1)}`,
}))
  gitTest(`a file outside that an index names ${how} is not read, and nothing is removed`, async () => {
    const { at, record, path, isStored } = await misled(name);
    const left = await leaveWorktree(record, at.world);
    expect(left.ok ? left.value.kept && left.value.obstacle : left.problem.message).toContain(
      'outside the checkout',
    );
    expect([isStored(), existsSync(path)]).toEqual([false, true]);
  });

gitTest('the same in the other part of a split index', async () => {
  const { at, record, git, isStored } = await misled((outside) => outside);
  git('update-index', '--split-index');
  await leaveWorktree(record, at.world);
  expect(isStored()).toBe(false);
});

gitTest('work under a split index is found', async () => {
  const at = await ground();
  const made = await createWorktree(at.order('one'), at.world);
  if (!made.ok) throw new Error(made.problem.message);
  const { path } = made.value.record;
  execFileSync('git', ['update-index', '--split-index'], { cwd: path });
  writeFileSync(join(path, 'new.txt'), 'new\n');
  const left = await leaveWorktree(made.value.record, at.world);
  expect(left.ok && left.value.kept && left.value.diffstat.files.map((file) => file.path)).toEqual([
    'new.txt',
  ]);
});

gitTest('an index that is a named pipe is refused, and not waited for', () => {
  const root = resolveRealPath(temporaryDirectory().path);
  const source = join(import.meta.dirname, '../../src');
  const script = `
import { systemClock } from '${source}/lib/clock.ts';
import { withIndexCopy } from '${source}/workspace/worktrees/index-copy.ts';
const env = { PATH: process.env.PATH, HOME: '/nonexistent' };
const done = await withIndexCopy('${root}/work', { home: '${root}/home', env, clock: systemClock }, async () => ({ ok: true, value: 1 }));
console.log(JSON.stringify(done));
process.exit(0);
`;
  spawnSync('bash', ['-c', 'mkdir work home && git init -q work && mkfifo work/.git/index'], { cwd: root });
  const end = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8', timeout: 20_000 });
  expect(`${end.stdout}${end.stderr}`).toContain('.git/index is a named pipe');
});
