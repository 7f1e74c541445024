import { expect, test } from 'bun:test';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree, type NewWorktree } from '../../src/workspace/worktrees/create.ts';
import { describeCopy } from '../../src/workspace/worktrees/scratch.ts';
import { type Ground, ground } from './worktree-support.ts';

interface Copied extends Ground {
  /** The worktree that is copied. */
  work: string;
  /** Git in a directory of it, as its agent runs it. */
  gitIn(directory: string, ...args: string[]): Promise<string>;
  copy(): Promise<NewWorktree>;
}

/** A worktree of a repository with a submodule in `vendor/lib`, which has one of its own in `deep`. */
async function withSubmodules(): Promise<Copied> {
  const at = await ground();
  const world = { ...at.world, clock: systemClock };
  const inner = await temporaryWorkspace({ 'inner.txt': 'inner\n' }, { git: true });
  const outer = await temporaryWorkspace({ 'lib.txt': 'lib\n', 'gone.txt': 'gone\n' }, { git: true });
  const allow = ['-c', 'protocol.file.allow=always'];
  await outer.git(...allow, 'submodule', '--quiet', 'add', inner.path, 'deep');
  await outer.git('commit', '--quiet', '--message=Deep');
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', outer.path, 'vendor/lib');
  await at.repository.git(...allow, 'submodule', '--quiet', 'update', '--init', '--recursive');
  await at.repository.git('commit', '--quiet', '--message=Vendor');
  const made = await createWorktree(at.order('work'), world);
  if (!made.ok) throw new Error(made.problem.message);
  const { record } = made.value;
  const person = ['-c', 'user.name=W', '-c', 'user.email=w@example.invalid'];
  return {
    ...at,
    work: record.path,
    gitIn: (directory, ...args) => at.repository.git('-C', directory, ...person, ...args),
    async copy() {
      const copied = await createWorktree(at.order('copy', describeCopy(record)), world);
      if (!copied.ok) throw new Error(copied.problem.message);
      return copied.value;
    },
  };
}

const read = (...parts: string[]) => readFileSync(join(...parts), 'utf8');

test('WT6 a copy has what is not committed in submodules, those inside them too', async () => {
  const at = await withSubmodules();
  const lib = join(at.work, 'vendor/lib');
  writeFileSync(join(lib, 'lib.txt'), 'changed\n');
  writeFileSync(join(lib, 'new.txt'), 'new\n');
  rmSync(join(lib, 'gone.txt'));
  writeFileSync(join(lib, 'deep/inner.txt'), 'changed inside\n');
  const { record, notes } = await at.copy();
  expect(notes).toEqual([]);
  const copied = join(record.path, 'vendor/lib');
  expect([read(copied, 'lib.txt'), read(copied, 'new.txt')]).toEqual(['changed\n', 'new\n']);
  expect(read(copied, 'deep/inner.txt')).toBe('changed inside\n');
  for (const place of ['', 'vendor/lib', 'vendor/lib/deep']) {
    const status = (top: string) => at.gitIn(join(top, place), 'status', '--porcelain');
    expect(await status(record.path)).toBe(await status(at.work));
  }
});

for (const above of ['with', 'without'])
  test(`WT6 a copy has the commits that were made in submodules, ${above} a commit above`, async () => {
    const at = await withSubmodules();
    const [lib, deep] = [join(at.work, 'vendor/lib'), join(at.work, 'vendor/lib/deep')];
    writeFileSync(join(deep, 'inner.txt'), 'committed inside\n');
    await at.gitIn(deep, 'commit', '--quiet', '--all', '--message=Inside');
    writeFileSync(join(lib, 'lib.txt'), 'committed\n');
    await at.gitIn(lib, 'commit', '--quiet', '--message=Lib', 'lib.txt');
    if (above === 'with') await at.gitIn(at.work, 'commit', '--quiet', '--all', '--message=Above');
    const { record, notes } = await at.copy();
    expect(notes).toEqual([]);
    expect(read(record.path, 'vendor/lib/lib.txt')).toBe('committed\n');
    expect(read(record.path, 'vendor/lib/deep/inner.txt')).toBe('committed inside\n');
    const head = (top: string) => at.gitIn(join(top, 'vendor/lib'), 'rev-parse', 'HEAD');
    expect(await head(record.path)).toBe(await head(at.work));
    expect(await at.gitIn(join(record.path, 'vendor/lib'), 'status', '--porcelain')).toBe(' M deep\n');
  });

test('a copy says whose changes it began with', async () => {
  const at = await withSubmodules();
  writeFileSync(join(at.work, 'new.txt'), 'new\n');
  const { record } = await at.copy();
  expect(await at.gitIn(record.path, 'log', '-1', '--format=%s')).toBe(
    'Uncommitted changes of the worktree work\n',
  );
});
