import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { land } from '../../src/landing/land.ts';
import type { LandReport } from '../../src/landing/types.ts';
import { needsThat, runUnprivileged, smallDisk } from '../support/index.ts';
import { type Field, field, states, yes } from './support.ts';

const disk = smallDisk(1500);

async function landAll(at: Field, step?: (name: string) => void, onto?: string): Promise<LandReport> {
  const world = { ...at.landing.world, ...(step ? { step } : {}) };
  const landed = await land({ ...at.landing, world }, { agree: yes, ...(onto ? { onto } : {}) });
  if (!landed.ok) throw new Error(landed.problem.message);
  return landed.value;
}

function isClean(at: Field): void {
  const staging = at.repository.file('.git/cadre-landing');
  expect(existsSync(staging) ? readdirSync(staging) : []).toEqual([]);
  expect(readdirSync(`${at.home}/landing`)).toEqual([]);
  expect(existsSync(at.repository.file('.git/index.lock'))).toBe(false);
}

async function twoFiles(): Promise<Field> {
  const at = await field({ 'a.txt': 'old a\n', 'b.txt': 'old b\n', 'c/d.txt': 'old d\n' });
  const { path } = await at.work('one', { 'a.txt': 'new a\n', 'b.txt': 'new b\n', 'n.txt': 'n\n' });
  rmSync(join(path, 'c'), { recursive: true });
  return at;
}

async function isOld(at: Field, status: string): Promise<void> {
  expect(await at.repository.read('a.txt')).toBe('old a\n');
  expect(await at.repository.read('c/d.txt')).toBe('old d\n');
  expect(await at.repository.git('status', '--porcelain')).toBe(status);
  expect(await at.repository.git('log', '-1', '--format=%s')).toBe('Start\n');
  isClean(at);
  expect(await at.listed()).toHaveLength(1);
}

test('a file that the user writes in the middle of it stays as they wrote it, and all the others go back', async () => {
  const at = await twoFiles();
  let written = false;
  const report = await landAll(at, (name) => {
    if (name !== 'placed' || written) return;
    written = true;
    writeFileSync(at.repository.file('b.txt'), 'mine\n');
  });
  expect(report.refusal).toMatchObject({ files: ['b.txt'] });
  expect(await at.repository.read('b.txt')).toBe('mine\n');
  await isOld(at, ' M b.txt\n');
});

test('a file that the user makes in the middle of it, where a new one would be, stays', async () => {
  const at = await twoFiles();
  const report = await landAll(at, (name) => {
    if (name === 'journaled') writeFileSync(at.repository.file('n.txt'), 'mine\n');
  });
  expect(report.refusal?.files).toEqual(['n.txt']);
  expect(await at.repository.read('n.txt')).toBe('mine\n');
  await isOld(at, '?? n.txt\n');
});

test('a branch that cannot be moved takes files and index back with it, staged work and all', async () => {
  const at = await twoFiles();
  await at.repository.write('s.txt', 'staged\n');
  await at.repository.git('add', 's.txt');
  const lock = at.repository.file('.git/refs/heads/main.lock');
  const report = await landAll(at, (name) => {
    if (name === 'indexed') writeFileSync(lock, '');
  });
  expect(report.refusal?.reason).toContain('main.lock');
  rmSync(lock);
  await isOld(at, 'A  s.txt\n');
});

test('an index that another git holds is waited for, and then nothing lands', async () => {
  const at = await twoFiles();
  writeFileSync(at.repository.file('.git/index.lock'), '');
  expect((await landAll(at)).refusal?.reason).toContain('another git process is running');
  expect(readFileSync(at.repository.file('.git/index.lock'), 'utf8')).toBe('');
  rmSync(at.repository.file('.git/index.lock'));
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
}, 30_000);

/** A linked checkout on a disk of its own. */
async function far(): Promise<{ at: Field; top: string }> {
  const at = await field({ 'a.txt': 'old\n' });
  const top = join(disk.path, `checkout-${at.home.split('/').at(-2)}`);
  await at.repository.git('worktree', 'add', '--quiet', '-b', 'release', top);
  await at.work('one', { 'a.txt': 'new\n', 'big.txt': 'x'.repeat(200_000), 'n.txt': 'n\n' });
  return { at, top };
}

disk.test('a checkout on another file system than its git directory is landed on', async () => {
  const { at, top } = await far();
  expect(states(await landAll(at, undefined, 'release'))).toEqual({ one: 'landed' });
  expect(await at.repository.git('-C', top, 'status', '--porcelain')).toBe('');
  expect(readdirSync(top).sort()).toEqual(['.git', 'a.txt', 'big.txt', 'n.txt']);
  rmSync(top, { recursive: true });
});

for (const leave of [0, 20_000, 100_000, 190_000])
  disk.test(
    `with ${leave} bytes left on the disk nothing lands and nothing is left; with room it lands`,
    async () => {
      const { at, top } = await far();
      await disk.whileFull(leave, async () => {
        expect((await landAll(at, undefined, 'release')).refusal?.reason).toContain('disk is full');
        expect(readdirSync(top).sort()).toEqual(['.git', 'a.txt']);
        expect(await at.repository.git('-C', top, 'status', '--porcelain')).toBe('');
      });
      isClean(at);
      expect(states(await landAll(at, undefined, 'release'))).toEqual({ one: 'landed' });
      expect(await at.repository.git('-C', top, 'status', '--porcelain')).toBe('');
      rmSync(top, { recursive: true });
    },
  );

needsThat(existsSync('/usr/bin/git'), 'git')(
  'a directory that may not be written is named, and nothing is touched',
  async () => {
    const found = await runUnprivileged<{ reason: string; files: string[]; status: string }>(
      join(import.meta.dirname, 'unwritable.script.ts'),
    );
    expect(found.reason).toContain('are not writable');
    expect(found.files).toEqual([expect.stringMatching(/\/closed$/)]);
    expect(found.status).toBe('');
  },
);

test('a home that cannot hold the journal: nothing is begun', async () => {
  const at = await twoFiles();
  mkdirSync(at.home, { recursive: true });
  writeFileSync(join(at.home, 'landing'), 'a file');
  const landed = await land(at.landing, { agree: yes });
  expect(landed.ok ? '' : landed.problem.message).toContain(join(at.home, 'landing'));
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});
