import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { forecast } from '../../src/landing/forecast.ts';
import type { WorktreeRecord } from '../../src/workspace/worktrees/record.ts';
import { expectOk, type Field, field, landAll, reasonOf, states } from './support.ts';

/** Commits a tree with entries that git itself would not make. */
async function commitEntries(
  at: Field,
  { path, branch }: WorktreeRecord,
  names: readonly string[],
): Promise<void> {
  const cat = ['cat-file', 'tree', `${branch}^{tree}`];
  const own = execFileSync('git', cat, { cwd: path, encoding: 'latin1' });
  const blob = (await at.repository.git('rev-parse', `${branch}:a.txt`)).trim();
  const tree = names.map((name) => `100644 ${name}\0${Buffer.from(blob, 'hex').toString('latin1')}`);
  const hash = ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'];
  const input = Buffer.from(tree.join('') + own, 'latin1');
  const id = execFileSync('git', hash, { cwd: path, input, encoding: 'utf8' }).trim();
  const commit = await at.repository.git('commit-tree', id, '-p', branch, '-m', 'Odd');
  await at.repository.git('update-ref', `refs/heads/${branch.replace(/^refs\/heads\//, '')}`, commit.trim());
}

for (const name of ['x/y', '..', '.', '.git', '.Git', 'x/../../y'])
  test(`a tree with an entry ${name} is refused by that name, and the others go on`, async () => {
    const at = await field();
    const odd = await at.work('odd', { 'b.txt': 'b\n' }, { commit: 'B' });
    await at.work('plain', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'A' });
    await commitEntries(at, odd, [name]);
    const seen = expectOk(await forecast(at.landing));
    expect(seen.worktrees.map((one) => [one.name, one.obstacle])).toEqual([
      ['odd', expect.stringContaining(JSON.stringify(name))],
      ['plain', undefined],
    ]);
    const report = await landAll(at);
    expect(states(report)).toMatchObject({ odd: 'failed', plain: 'landed' });
    expect(reasonOf(report, 'odd')).toContain(JSON.stringify(name));
  });

test('one that a later commit takes out again is found', async () => {
  const at = await field();
  const odd = await at.work('odd', { 'b.txt': 'b\n' }, { commit: 'B' });
  const before = (await at.repository.git('rev-parse', `${odd.branch}^{tree}`)).trim();
  await commitEntries(at, odd, ['..']);
  const commit = await at.repository.git('commit-tree', before, '-p', odd.branch, '-m', 'Without');
  await at.repository.git('update-ref', `refs/heads/${odd.branch}`, commit.trim());
  const report = await landAll(at);
  expect(report.to).toBe(report.from);
  expect(reasonOf(report, 'odd')).toContain('".."');
});

test('the same name twice in a tree is found', async () => {
  const at = await field();
  const odd = await at.work('odd', { 'b.txt': 'b\n' }, { commit: 'B' });
  await commitEntries(at, odd, ['a.txt']);
  expect(reasonOf(await landAll(at), 'odd')).toContain('"a.txt"');
});
