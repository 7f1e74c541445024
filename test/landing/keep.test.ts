import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCandidate } from '../../src/landing/candidates.ts';
import { land } from '../../src/landing/land.ts';
import { recoverLandings } from '../../src/landing/moving/recover.ts';
import { countHoldings } from '../../src/workspace/worktrees/holdings.ts';
import { readRecord, type WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { expectOk, type Field, field, landAll, landInProcess, states, yes } from './support.ts';

const lines = (...changed: [number, string][]) =>
  `${[1, 2, 3, 4, 5, 6].map((at) => changed.find(([line]) => line === at)?.[1] ?? at).join('\n')}\n`;

/** A worktree whose change of line 3 has landed and which stays. */
async function kept(
  commit?: string,
): Promise<{ at: Field; record: WorktreeRecord; write(text: string): void }> {
  const at = await field({ 'a.txt': lines() });
  const three = { 'a.txt': lines([3, 'three']) };
  const { slug, common, path } = await at.work('one', three, commit === undefined ? {} : { commit });
  const report = expectOk(await land(at.landing, { agree: yes, keep: true }));
  expect(states(report)).toEqual({ one: 'landed' });
  const record = readRecord(at.home, common, slug);
  if (!record) throw new Error('The worktree is gone.');
  return { at, record, write: (text) => writeFileSync(join(path, 'a.txt'), text) };
}

const inMain = (at: Field) => at.repository.read('a.txt');
const four = lines([3, 'three'], [4, 'four']);

test.each([
  ['not committed', undefined],
  ['committed', 'Three'],
])('work beside what has landed from a worktree that stays lands too (%s)', async (_, commit) => {
  const { at, write } = await kept(commit);
  write(four);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await inMain(at)).toBe(four);
});

test('work that is committed later together with what has landed lands, with its message', async () => {
  const { at, record, write } = await kept();
  write(four);
  await at.repository.git('-C', record.path, 'commit', '--quiet', '--all', '--message=Four');
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await inMain(at)).toBe(four);
  expect(await at.repository.git('log', '-1', '--format=%s')).toBe('Four\n');
});

test('a landing that was killed before the branch moved leaves the note of what landed before', async () => {
  const { at, write } = await kept();
  write(four);
  expect((await landInProcess(at.repository.path, at.home, 'preparing')).killed).toBe(true);
  await recoverLandings(at.world);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await inMain(at)).toBe(four);
});

test('list and diff show what is left to land', async () => {
  const { at, record, write } = await kept();
  expect((await countHoldings(record, at.landing.world)).files).toBe(0);
  write(four);
  const { start, tip } = expectOk(await readCandidate(record, at.landing));
  const diff = await at.repository.git('diff', '--numstat', start, tip);
  expect(diff).toBe('1\t1\ta.txt\n');
});

test('what is put back in the worktree after it has landed is not undone on the branch', async () => {
  const { at, record } = await kept();
  await at.repository.git('-C', record.path, 'reset', '--quiet', '--hard');
  writeFileSync(join(record.path, 'b.txt'), 'b\n');
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await inMain(at)).toBe(lines([3, 'three']));
});

test('work that has merged the branch since lands', async () => {
  const { at, record, write } = await kept('Three');
  await at.repository.git('-C', record.path, 'merge', '--quiet', '--no-edit', 'main');
  write(four);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await inMain(at)).toBe(four);
});
