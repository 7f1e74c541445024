import { expect } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { discardWorktree } from '../../src/workspace/worktrees/remove.ts';
import { needs, temporaryDirectory } from '../support/index.ts';
import { ground } from './worktree-support.ts';

const test = needs('git');
const names = Array.from({ length: 200 }, (_, index) => `f${index}`);

function fill(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), '');
}

function startSwapper(...pairs: string[]): ChildProcess {
  const script = join(import.meta.dirname, '../proof/race-swapper.ts');
  return spawn(process.execPath, [script, ...pairs], { stdio: 'ignore' });
}

test('a process that still runs in a worktree cannot lead its removal to other directories', async () => {
  const at = await ground();
  const { path: outside } = temporaryDirectory();
  fill(join(outside, 'mine'));
  for (let turn = 0; turn < 8; turn++) {
    const made = await createWorktree(at.order(`one${turn}`), at.world);
    if (!made.ok) throw new Error(made.problem.message);
    const { path } = made.value.record;
    fill(join(path, 'd'));
    symlinkSync(join(outside, 'mine'), join(path, 'link'));
    const swapper = startSwapper(join(path, 'd'), join(path, 'link'));
    const isOurs = () =>
      !readdirSync(path, { withFileTypes: true }).some((one) => one.name === 'd' && one.isSymbolicLink());
    while (isOurs()) await new Promise((resolve) => setTimeout(resolve, 1));
    const gone = await discardWorktree(made.value.record, at.world);
    swapper.kill('SIGKILL');
    expect([gone, existsSync(path)]).toEqual([{ ok: true, value: true }, false]);
    expect(readdirSync(join(outside, 'mine')).length).toBe(names.length);
  }
  expect(await at.listed()).toEqual([]);
}, 60_000);
