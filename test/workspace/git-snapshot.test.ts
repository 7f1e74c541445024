import { expect } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manualClock, systemClock } from '../../src/lib/clock.ts';
import { gitSnapshot } from '../../src/workspace/git/snapshot.ts';
import { needs, temporaryDirectory } from '../support/index.ts';

const gitTest = needs('git');
const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };

function repository(...commits: string[]): { cwd: string; run(...args: string[]): void } {
  const { path: cwd } = temporaryDirectory();
  const run = (...args: string[]) =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd, stdio: 'pipe' });
  run('init', '-q', '-b', 'main');
  for (const subject of commits) run('commit', '--allow-empty', '-qm', subject);
  return { cwd, run };
}

const look = (cwd: string) => gitSnapshot({ cwd, env, clock: systemClock });

gitTest('before the first commit there are a branch and changes, and no commits', async () => {
  const { cwd } = repository();
  writeFileSync(join(cwd, 'a'), '');
  expect(await look(cwd)).toEqual({
    ok: true,
    value: { branch: 'No commits yet on main', changes: ['?? a'], commits: [] },
  });
});

gitTest('the last five commits are named, the newest first', async () => {
  const { cwd } = repository('1', '2', '3', '4', '5', '6');
  const found = await look(cwd);
  const subjects = found.ok ? found.value.commits.map((line) => line.replace(/^\w+ /, '')) : [];
  expect(subjects).toEqual(['6', '5', '4', '3', '2']);
});

gitTest("the main branch is what the origin's head is, else one of the usual names", async () => {
  const { cwd, run } = repository('1');
  run('switch', '-qc', 'topic');
  expect(await look(cwd)).toMatchObject({ value: { branch: 'topic', mainBranch: 'main' } });
  run('update-ref', 'refs/remotes/origin/develop', 'HEAD');
  run('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/develop');
  expect(await look(cwd)).toMatchObject({ value: { mainBranch: 'develop' } });
});

gitTest('a checkout of no branch says so', async () => {
  const { cwd, run } = repository('1');
  run('checkout', '-q', '--detach');
  expect(await look(cwd)).toMatchObject({ value: { branch: 'HEAD (no branch)', changes: [] } });
});

gitTest('a git that takes too long is not waited for', async () => {
  const { cwd } = repository();
  const { path: bin } = temporaryDirectory();
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 });
  mkdirSync(join(cwd, 'sub'));
  const clock = manualClock();
  const pending = gitSnapshot({ cwd, env: { ...env, PATH: `${bin}:${env.PATH}` }, clock, limitMs: 2_000 });
  clock.advance(2_000);
  const found = await pending;
  expect(found.ok ? '' : found.problem.message).toContain('took longer than 2000 ms');
});

gitTest('where there is no git there is a reason, and no exception', async () => {
  const { cwd } = repository('1');
  const found = await gitSnapshot({ cwd, env: { ...env, PATH: '/nonexistent' }, clock: systemClock });
  expect(found.ok).toBe(false);
});
