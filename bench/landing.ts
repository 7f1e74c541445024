/**
 * How long a landing of many files keeps all others waiting: the longest time in which the process had no turn for
 * keys, other agents or timers. `bun bench/landing.ts [files]`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forecast } from '../src/landing/forecast.ts';
import { land } from '../src/landing/land.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Result } from '../src/lib/result.ts';
import { createWorktree } from '../src/workspace/worktrees/create.ts';
import { findRepository } from '../src/workspace/worktrees/repository.ts';
import { leaveWorktree } from '../src/workspace/worktrees/worktree.ts';

const count = Number(process.argv[2] ?? 5000);
const dist = join(import.meta.dirname, '..', 'dist');
mkdirSync(dist, { recursive: true });
const top = mkdtempSync(join(dist, 'bench-'));
const [cwd, home] = [join(top, 'work'), join(top, 'home')];
const person = { GIT_AUTHOR_NAME: 'Bench', GIT_AUTHOR_EMAIL: 'bench@example.invalid' };
const committer = { GIT_COMMITTER_NAME: 'Bench', GIT_COMMITTER_EMAIL: 'bench@example.invalid' };
const env = { PATH: process.env.PATH ?? '', HOME: home, ...person, ...committer };
const world = { home, env, clock: systemClock };
const fill = { copyDirectories: [], linkDirectories: [], sandboxed: false };

function write(path: string, content: string): void {
  for (let n = 0; n < count; n++) {
    mkdirSync(join(path, `part-${n % 50}`), { recursive: true });
    writeFileSync(join(path, `part-${n % 50}`, `file-${n}`), `${content} ${n}\n`);
  }
}

function expectOk<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

/** Asks for a turn every millisecond. */
async function measure(name: string, work: () => Promise<Result<unknown>>): Promise<void> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  const start = performance.now();
  expectOk(await work());
  const whole = performance.now() - start;
  await new Promise((resolve) => setTimeout(resolve, 5));
  clearInterval(timer);
  console.log(
    `${name.padEnd(10)}${whole.toFixed(0).padStart(6)} ms    longest wait ${longest.toFixed(0)} ms`,
  );
}

mkdirSync(home);
write(cwd, 'old');
for (const args of [
  ['init', '-q', '-b', 'main'],
  ['add', '-A'],
  ['commit', '-q', '-m', 'Start'],
])
  execFileSync('git', args, { cwd, env });
const repository = expectOk(await findRepository(cwd, world));
const order = { cwd, slug: 'bench', session: 'bench', agentId: null, title: 'Bench', fill };
const { record } = expectOk(await createWorktree(order, world));
write(record.path, 'new');
await leaveWorktree(record, world);
console.log(`${count} files`);
await measure('forecast', () => forecast({ repository, world, fill }));
await measure('land', () => land({ repository, world, fill }, { agree: async () => true }));
rmSync(top, { recursive: true, force: true });
