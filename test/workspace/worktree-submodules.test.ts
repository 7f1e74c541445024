import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shellSetup } from '../../src/landing/gate.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { ground } from './worktree-support.ts';

test('WT10 a new worktree has the submodules of its checkout, from what is on disk; nothing is fetched', async () => {
  const at = await ground();
  const inner = await temporaryWorkspace({ 'inner.txt': 'inner\n' }, { git: true });
  const outer = await temporaryWorkspace({ 'lib.txt': 'lib\n' }, { git: true });
  const allow = ['-c', 'protocol.file.allow=always'];
  await outer.git(...allow, 'submodule', '--quiet', 'add', inner.path, 'deep');
  await outer.git('commit', '--quiet', '--message=Deep');
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', outer.path, 'vendor/lib');
  await at.repository.git(...allow, 'submodule', '--quiet', 'update', '--init', '--recursive');
  await at.repository.git('commit', '--quiet', '--message=Vendor');
  // Where it came from is out of reach from here on.
  const gone = 'https://gone.invalid/lib.git';
  await at.repository.git('-C', 'vendor/lib', 'remote', 'set-url', 'origin', gone);
  await at.repository.git('config', 'submodule.vendor/lib.url', gone);
  await at.repository.git('config', 'submodule.vendor/lib.update', '!touch /tmp/never');
  const made = await createWorktree(at.order('one'), { ...at.world, clock: systemClock });
  if (!made.ok) throw new Error(made.problem.message);
  const { record, notes } = made.value;
  expect(notes).toEqual([]);
  expect(readFileSync(join(record.path, 'vendor/lib/lib.txt'), 'utf8')).toBe('lib\n');
  expect(readFileSync(join(record.path, 'vendor/lib/deep/inner.txt'), 'utf8')).toBe('inner\n');
  const url = await at.repository.git('-C', join(record.path, 'vendor/lib'), 'remote', 'get-url', 'origin');
  expect(url).toBe(`${gone}\n`);
  expect(await at.repository.git('config', 'submodule.vendor/lib.url')).toBe(`${gone}\n`);
  expect(await at.repository.git('-C', record.path, 'status', '--porcelain')).toBe('');
  const left = await leaveWorktree(record, { ...at.world, clock: systemClock });
  expect(left).toEqual({ ok: true, value: { kept: false } });
  expect(existsSync(record.path)).toBe(false);
});

test('WT10 a submodule that the checkout does not have stays empty; one whose commit is missing is named', async () => {
  const at = await ground();
  const outer = await temporaryWorkspace({ 'lib.txt': 'lib\n' }, { git: true });
  await at.repository.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    outer.path,
    'lib',
  );
  await at.repository.git('commit', '--quiet', '--message=Vendor');
  const id = 'f'.repeat(40);
  await at.repository.git('update-index', '--cacheinfo', `160000,${id},lib`);
  await at.repository.git('commit', '--quiet', '--message=Ahead');
  const world = { ...at.world, clock: systemClock };
  const made = await createWorktree(at.order('one'), world);
  if (!made.ok) throw new Error(made.problem.message);
  expect(made.value.notes.join('\n')).toContain('The submodule lib is missing in the worktree: ');
  await at.repository.git('submodule', '--quiet', 'deinit', '--force', 'lib');
  const again = await createWorktree(at.order('two'), world);
  if (!again.ok) throw new Error(again.problem.message);
  expect(again.value.notes).toEqual([]);
});

test('WT10 the setup command prepares a new worktree; its failure is told, and the worktree is there', async () => {
  const at = await ground();
  const world = { ...at.world, clock: systemClock };
  const options = { env: world.env, clock: systemClock, rules: [] };
  const { fill } = at.order('x');
  const good = shellSetup({ ...options, command: 'echo made > prepared.txt' });
  const made = await createWorktree(at.order('one', { fill: { ...fill, setUp: good } }), world);
  if (!made.ok) throw new Error(made.problem.message);
  expect(made.value.notes).toEqual([]);
  expect(readFileSync(join(made.value.record.path, 'prepared.txt'), 'utf8')).toBe('made\n');
  const bad = shellSetup({ ...options, command: 'echo no such package >&2; exit 3' });
  const other = await createWorktree(at.order('two', { fill: { ...fill, setUp: bad } }), world);
  if (!other.ok) throw new Error(other.problem.message);
  expect(other.value.notes).toEqual([
    'The setup command (worktree.setup: echo no such package >&2; exit 3) failed:\nno such package',
  ]);
  writeFileSync(join(other.value.record.path, 'work.txt'), 'x\n');
});
