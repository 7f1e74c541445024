import { expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { planDrop } from '../../src/landing/drop.ts';
import { forecast } from '../../src/landing/forecast.ts';
import { land } from '../../src/landing/land.ts';
import type { LandingPlan } from '../../src/landing/plan.ts';
import { renderForecast, renderReport, renderToDrop } from '../../src/landing/render.ts';
import { renderPlan } from '../../src/landing/render-plan.ts';
import type { LandReport } from '../../src/landing/types.ts';
import { expectOk, type Field, field, landAll, quietly, states } from './support.ts';

const forged = 'f\u001b]0;title\u0007\nlanded    forged: 9 commits';

test('names of files cannot forge a line of a report or steer a terminal', async () => {
  const at = await field();
  await at.work('one', { [forged]: 'x\n', 'tab\tbed.txt': 'x\n' });
  const seen = renderForecast(expectOk(await forecast(at.landing)));
  await at.repository.write(forged, 'mine\n');
  const refused = renderReport(await landAll(at));
  for (const text of [seen, refused]) {
    expect(text).toContain('f\\x1b]0;title\\x07\\nlanded    forged: 9 commits');
    expect(text.split('\n').some((line) => line.startsWith('landed    forged'))).toBe(false);
  }
  expect(seen).toContain('tab\\tbed.txt');
});

test('nor can the content of a conflict, or what a gate prints', () => {
  const about = { owner: { agentId: null }, session: 's', createdAt: '2026-01-01T00:00:00.000Z' };
  const report: LandReport = {
    ...{ target: 'main', from: 'a', to: 'a' },
    landings: [
      { name: 'one', ...about, status: 'conflict', conflicts: [{ path: 'a\nb', hunks: ['x\u001b[31m\ry'] }] },
      { name: 'two', ...about, status: 'gate', output: 'red\u001b[31m' },
      { name: 'three', ...about, status: 'failed', reason: 'git said:\nlanded    x: 1 commit\u001b[2J' },
    ],
  };
  const text = renderReport(report);
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\r');
  expect(text).toContain('    a\\nb\n');
  expect(text.split('\n').some((line) => line.startsWith('landed'))).toBe(false);
});

test('what is asked about is not said to have landed', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  let asked = '';
  const agree = async (plan: LandingPlan) => {
    asked = renderPlan(plan);
    return true;
  };
  const report = expectOk(await land(at.landing, { agree }));
  expect(renderReport(report)).toContain('landed    one: 1 commit: new.txt');
  expect(asked).toContain(
    '\nto land   one (the session itself): 1 commit, 1 file changed, 1 line added, 0 removed\n    new.txt | +1 -0',
  );
  expect(asked).not.toContain('landed');
});

test('a renamed file counts once, with both names', async () => {
  const at = await field();
  await at.work('zero', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'Zero' });
  const one = await at.work('one', { 'new.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'mv', 'a.txt', 'tab\tbed.txt');
  let asked = '';
  const agree = async (plan: LandingPlan) => {
    asked = renderPlan(plan);
    return true;
  };
  expect(states(expectOk(await land(at.landing, { agree })))).toEqual({ zero: 'landed', one: 'landed' });
  expect(asked).toMatch(
    /one .*2 files changed, 1 line added, 0 removed\n.*\n {4}a\.txt => tab\\tbed\.txt \| \+0 -0/,
  );
  expect(asked).toContain('same files as zero, merged: a.txt');
});

test('before worktrees are dropped it is said what is in them', async () => {
  const at = await field();
  const one = await at.work('one', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'One' });
  const two = await at.work('two', { 'a.txt': 'one\nZWEI\nthree\n' }, { commit: 'Two' });
  await quietly(at.repository.git('-C', two.path, 'merge', 'cadre/one/work'));
  await at.repository.git('-C', one.path, 'checkout', '--quiet', '--detach', 'HEAD~1');
  mkdirSync(join(one.path, 'sub'));
  await at.repository.git('-C', join(one.path, 'sub'), 'init', '--quiet');
  const [first = '', second = ''] = renderToDrop(expectOk(await planDrop(at.landing, ['one', 'two']))).split(
    '\n',
  );
  expect(first).toMatch(
    /^one \(the session itself\): .*1 commit; .*sub is a separate repository.*not checked out/,
  );
  expect(second).toMatch(/^two .*1 file changed, .* \(a\.txt\); 1 commit; a merge is unfinished/);
});

async function landing(at: Field, slug: string) {
  const report = await landAll(at);
  const found = report.landings.find(({ name }) => name === slug);
  if (found?.status !== 'conflict') throw new Error(`${found?.status}`);
  return { conflicts: found.conflicts, text: renderReport(report) };
}

test('a conflict is named by the file that both sides know, not by commits that only we know', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  await at.work('one', { thing: 'a file\n' });
  const two = await at.work('two', { 'b.txt': 'b\n' });
  mkdirSync(join(two.path, 'thing'));
  writeFileSync(join(two.path, 'thing/inner.txt'), 'in a directory\n');
  const { conflicts, text } = await landing(at, 'two');
  expect(conflicts.map(({ path }) => path)).toEqual(['thing']);
  expect(text).not.toMatch(/[0-9a-f]{40}/);
  expect(text).toContain('directory in the way');
});

test('a new file in a directory that the other side renamed says so', async () => {
  const files = { 'old/1.txt': 'eins\n', 'old/2.txt': 'zwei\n', 'old/3.txt': 'drei\n' };
  const at = await field(files);
  const one = await at.work('one', { 'x.txt': 'x\n' });
  await at.repository.git('-C', one.path, 'mv', 'old', 'new');
  await at.work('two', { 'old/added.txt': 'added\n' });
  const { text } = await landing(at, 'two');
  expect(text).toMatch(/old\/added\.txt .*directory that was renamed in main.*new\/added\.txt/);
  expect(text).not.toMatch(/[0-9a-f]{40}|no text/);
});

test('a report says what to do where nothing landed', async () => {
  const at = await field();
  expect(renderReport(await landAll(at))).toBe('There are no worktrees to land.');
  await at.work('one', { 'a.txt': 'theirs\n' });
  await at.repository.write('a.txt', 'mine\n');
  const refused = renderReport(await landAll(at));
  expect(refused).toMatch(/has uncommitted changes|has ignored or untracked files/);
  expect(refused).toMatch(/then land again\.\nNothing was landed on main\.$/);
});
