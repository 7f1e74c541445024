import { expect, test } from 'bun:test';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorktrees } from '../../src/landing/candidates.ts';
import { diffWorktree, planDrop } from '../../src/landing/drop.ts';
import { forecast } from '../../src/landing/forecast.ts';
import { carryOutLanding, land, prepareLanding } from '../../src/landing/land.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { listRecords } from '../../src/workspace/worktrees/record.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { blockedBy, dropAll, expectOk, type Field, field, landAll, states, yes } from './support.ts';

const subjects = async (at: Field) =>
  (await at.repository.git('log', '--format=%s', '--reverse')).trim().split('\n');

test('WT4 work lands in the order it was begun, commits and uncommitted changes alike, as a straight line', async () => {
  const at = await field();
  await at.work('one', { 'one.txt': '1\n' }, { commit: 'First' });
  await at.work('two', { 'two.txt': '2\n' });
  const report = await landAll(at);
  expect(states(report)).toEqual({ one: 'landed', two: 'landed' });
  expect(await subjects(at)).toEqual(['Start', 'First', 'Work in two']);
  expect(await at.repository.read('two.txt')).toBe('2\n');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(await at.listed()).toEqual([]);
  expect(await at.branches()).toEqual([]);
});

test('a name is found in any letter case, unless two differ in nothing else', async () => {
  const at = await field();
  await at.work('b-1', { 'one.txt': '1\n' }, { agentId: 'a1', agentName: 'B' });
  expect(expectOk(findWorktrees(at.landing, ['b'])).map(({ slug }) => slug)).toEqual(['b-1']);
  await at.work('b-2', { 'two.txt': '2\n' }, { agentId: 'a2', agentName: 'b' });
  expect(expectOk(findWorktrees(at.landing, ['b'])).map(({ slug }) => slug)).toEqual(['b-2']);
  await at.work('b-3', { 'two.txt': '2\n' }, { agentId: 'a3', agentName: 'Bob' });
  await at.work('b-4', { 'two.txt': '2\n' }, { agentId: 'a4', agentName: 'BOB' });
  const both = findWorktrees(at.landing, ['bob']);
  expect(both.ok ? '' : both.problem.message).toBe('"bob" matches 2 worktrees: s/b-3, s/b-4.');
});

test('the order of names is the order of landing', async () => {
  const at = await field();
  await at.work('one', { 'one.txt': '1\n' }, { commit: 'First' });
  await at.work('two', { 'two.txt': '2\n' }, { commit: 'Second' });
  await landAll(at, ['two', 'one']);
  expect(await subjects(at)).toEqual(['Start', 'Second', 'First']);
});

test('author, date and message of a commit stay; several of one worktree stay several', async () => {
  const at = await field();
  const record = await at.work('one', { 'one.txt': '1\n' }, { commit: 'First\n\nWhy.' });
  writeFileSync(join(record.path, 'one.txt'), '2\n');
  await at.repository.git(
    '-C',
    record.path,
    'commit',
    '--quiet',
    '--all',
    '--message=Again',
    '--author=A <a@example.invalid>',
  );
  await at.repository.write('other.txt', 'x');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Meanwhile');
  await landAll(at);
  expect(await subjects(at)).toEqual(['Start', 'Meanwhile', 'First', 'Again']);
  expect(await at.repository.git('log', '-1', '--format=%an <%ae>')).toBe('A <a@example.invalid>\n');
  expect(await at.repository.git('log', '-1', '--skip=1', '--format=%b')).toBe(
    'Why.\n\nCadre-Session: s\n\n',
  );
});

test('WT4 a conflict is reported with files, hunks and owner; nothing of it lands, and the rest does', async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'one\nONE\nthree\n' });
  await at.work(
    'two',
    { 'a.txt': 'one\nTWO\nthree\n', 'two.txt': '2\n' },
    { agentId: 'a2', agentName: 'second' },
  );
  await at.work('three', { 'three.txt': '3\n' });
  const report = await landAll(at);
  expect(states(report)).toEqual({ one: 'landed', three: 'landed', two: 'conflict' });
  const clash = report.landings.find(({ name }) => name === 'two');
  if (clash?.status !== 'conflict') throw new Error('no conflict');
  expect(clash.owner).toEqual({ agentId: 'a2', name: 'second' });
  expect(clash.conflicts).toEqual([
    { path: 'a.txt', hunks: ['<<<<<<< main\nONE\n=======\nTWO\n>>>>>>> two'] },
  ]);
  expect(await at.repository.read('a.txt')).toBe('one\nONE\nthree\n');
  expect(existsSync(at.repository.file('two.txt'))).toBe(false);
  expect(await at.repository.git('status', '--porcelain')).toBe('');
  expect(await at.listed()).toHaveLength(1);
});

test.each([
  [
    'merges',
    (at: Field, path: string) => at.repository.git('-C', path, 'merge', '--quiet', 'main').catch(() => ''),
  ],
  [
    'rebases',
    (at: Field, path: string) => at.repository.git('-C', path, 'rebase', '--quiet', 'main').catch(() => ''),
  ],
])('a conflict that its owner %s away lands', async (how, mend) => {
  const at = await field();
  await at.work('one', { 'a.txt': 'one\nONE\nthree\n' }, { commit: 'One' });
  const two = await at.work('two', { 'a.txt': 'one\nTWO\nthree\n' }, { commit: 'Two' });
  expect(states(await landAll(at))).toEqual({ one: 'landed', two: 'conflict' });
  await mend(at, two.path);
  writeFileSync(join(two.path, 'a.txt'), 'one\nONE\nTWO\nthree\n');
  await at.repository.git('-C', two.path, 'add', 'a.txt');
  await at.repository.git(
    '-C',
    two.path,
    '-c',
    'core.editor=true',
    ...(how === 'merges' ? ['commit', '--quiet', '--no-edit'] : ['rebase', '--continue']),
  );
  expect(states(await landAll(at))).toEqual({ two: 'landed' });
  expect(await at.repository.read('a.txt')).toBe('one\nONE\nTWO\nthree\n');
});

test('what is landed twice lands once', async () => {
  const at = await field();
  await at.work('one', { 'one.txt': '1\n' }, { commit: 'First' });
  expectOk(await land(at.landing, { agree: yes, keep: true }));
  expect(states(await landAll(at))).toEqual({ one: 'empty' });
  expect(await subjects(at)).toEqual(['Start', 'First']);
});

test('commits that the branch has as a single one, as from a pull request, are not in conflict with it', async () => {
  const at = await field();
  const one = await at.work('one', { 'a.txt': 'ONE\ntwo\nthree\n' }, { commit: 'First' });
  writeFileSync(join(one.path, 'a.txt'), 'ONE\nTWO\nthree\n');
  await at.repository.git('-C', one.path, 'commit', '--quiet', '--all', '--message=Second');
  const two = await at.work('two', { 'a.txt': 'ONE\ntwo\nthree\n' }, { commit: 'First' });
  writeFileSync(join(two.path, 'a.txt'), 'ONE\nZWEI\nthree\n');
  await at.repository.git('-C', two.path, 'commit', '--quiet', '--all', '--message=Second');
  await at.repository.write('a.txt', 'ONE\nTWO\nthree\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Both');
  expect(states(await landAll(at))).toEqual({ one: 'empty', two: 'conflict' });
  expect(await at.listed()).toEqual([two.path]);
});

test("the user's uncommitted work stays; where it overlaps nothing lands, and the files are named", async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'agent\n' });
  await at.repository.write('mine.txt', 'mine\n');
  await at.repository.write('a.txt', 'mine too\n');
  const refused = await landAll(at);
  expect(blockedBy(refused).files).toEqual(['a.txt']);
  expect(refused.to).toBe(refused.from);
  expect(await at.repository.read('a.txt')).toBe('mine too\n');
  await at.repository.git('checkout', '--quiet', 'a.txt');
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('status', '--porcelain')).toBe('?? mine.txt\n');
});

test('an untracked file of the user in the way is never overwritten', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'agent\n' });
  await at.repository.write('new.txt', 'mine\n');
  expect(blockedBy(await landAll(at)).files).toEqual(['new.txt']);
  expect(await at.repository.read('new.txt')).toBe('mine\n');
});

test('without a yes nothing changes', async () => {
  const at = await field();
  await at.work('one', { 'one.txt': '1\n' });
  const report = expectOk(await land(at.landing, { agree: async () => false }));
  expect(report.refusal?.reason).toBe('it was not approved');
  expect(await subjects(at)).toEqual(['Start']);
  expect(await at.listed()).toHaveLength(1);
});

test('a branch that is not checked out is moved alone; a detached HEAD needs one to be named', async () => {
  const at = await field();
  await at.repository.git('branch', 'release');
  await at.work('one', { 'one.txt': '1\n' });
  await at.repository.git('checkout', '--quiet', '--detach');
  const nowhere = await land(at.landing, { agree: yes });
  expect(nowhere.ok ? '' : nowhere.problem.message).toContain('HEAD is detached');
  expectOk(await land(at.landing, { agree: yes, onto: 'release' }));
  expect(await at.repository.git('log', '--format=%s', 'release')).toBe('Work in one\nStart\n');
  expect(existsSync(at.repository.file('one.txt'))).toBe(false);
});

test('one that is at work is left alone, and named', async () => {
  const at = await field();
  const made = expectOk(await createWorktree(at.order('one'), at.world));
  writeFileSync(join(made.record.path, 'x.txt'), 'x');
  expect(states(await landAll(at))).toEqual({ one: 'busy' });
  expect((await dropAll(at, ['one']))[0]?.dropped).toBe(false);
});

test('carried changes of the user do not land with the work that began from them', async () => {
  const at = await field();
  await at.repository.write('a.txt', 'one\ntwo\nmine\n');
  const made = expectOk(await createWorktree(at.order('one', { uncommitted: true }), at.world));
  writeFileSync(join(made.record.path, 'b.txt'), 'agent\n');
  await leaveWorktree(made.record, at.world);
  expect(states(await landAll(at))).toEqual({ one: 'landed' });
  expect(await at.repository.git('show', 'HEAD:a.txt')).toBe('one\ntwo\nthree\n');
  expect(await at.repository.read('a.txt')).toBe('one\ntwo\nmine\n');
});

test('the gate is run on what would be the result, in a tree of its own, and lets it pass', async () => {
  const at = await field(undefined, 'test -f one.txt && test -f two.txt && touch made-by-gate');
  await at.work('one', { 'one.txt': '1\n' });
  await at.work('two', { 'two.txt': '2\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed', two: 'landed' });
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('when a batch fails the one that breaks it is found and left out, with what the gate said', async () => {
  const at = await field(undefined, 'if [ -f bad.txt ]; then echo "bad is here"; exit 1; fi');
  for (const name of ['one', 'two', 'three', 'four']) await at.work(name, { [`${name}.txt`]: name });
  await at.work('broken', { 'bad.txt': 'x' });
  await at.work('last', { 'last.txt': 'x' });
  const report = await landAll(at, ['one', 'two', 'broken', 'three', 'four', 'last']);
  expect(states(report)).toEqual({
    one: 'landed',
    two: 'landed',
    three: 'landed',
    four: 'landed',
    last: 'landed',
    broken: 'gate',
  });
  const broken = report.landings.find(({ name }) => name === 'broken');
  expect(broken?.status === 'gate' ? broken.output : '').toBe('bad is here');
  expect(existsSync(at.repository.file('bad.txt'))).toBe(false);
  expect(await at.listed()).toHaveLength(1);
});

test('two that pass alone and not together: the second is the one that is sent back', async () => {
  const at = await field(undefined, '! { [ -f x.txt ] && [ -f y.txt ]; }');
  await at.work('one', { 'x.txt': 'x' });
  await at.work('two', { 'y.txt': 'y' });
  expect(states(await landAll(at))).toEqual({ one: 'landed', two: 'gate' });
});

test('a gate that fails without any of it is said, and nothing lands', async () => {
  const at = await field(undefined, 'echo always; exit 3');
  await at.work('one', { 'x.txt': 'x' });
  const report = await landAll(at);
  expect(report.refusal?.reason).toContain('the gate already fails on main:\nalways');
  expect(await subjects(at)).toEqual(['Start']);
});

test('where the gate fails on the target nothing conflicts with work that did not land, and each has its line', async () => {
  const at = await field({ 'a.txt': 'one\n' }, 'false');
  await at.work('one', { 'a.txt': 'ONE\n' });
  await at.work('two', { 'a.txt': 'TWO\n' });
  await at.work('three', { 'b.txt': 'three\n' });
  const report = await landAll(at);
  expect(states(report)).toEqual({ one: 'waiting', two: 'waiting', three: 'waiting' });
  expect(report.refusal?.reason).toBe('the gate already fails on main:\n(no output; exit code 1)');
});

test('where the gate fails on the target a conflict with the target itself is still one', async () => {
  const at = await field({ 'a.txt': 'one\n' }, 'false');
  await at.work('one', { 'a.txt': 'ONE\n' });
  await at.work('two', { 'b.txt': 'two\n' });
  await at.repository.write('a.txt', 'mine\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Mine');
  expect(states(await landAll(at))).toEqual({ one: 'conflict', two: 'waiting' });
});

test('a gate that runs after the yes leaves no conflict with work that it kept from landing', async () => {
  const at = await field({ 'a.txt': 'one\n' }, '! grep -q ONE a.txt');
  await at.work('one', { 'a.txt': 'ONE\n' });
  await at.work('two', { 'a.txt': 'TWO\n' });
  const plan = expectOk(await prepareLanding(at.landing, {}));
  expect(plan.others.map(({ status }) => status)).toEqual(['conflict']);
  const report = expectOk(await carryOutLanding(plan, at.landing, {}));
  expect(states(report)).toEqual({ one: 'gate', two: 'waiting' });
});

test('what the target committed meanwhile is a conflict, and no uncommitted change', async () => {
  const at = await field({ 'a.txt': 'one\n', 'gone.txt': 'one\n' });
  await at.work('one', { 'a.txt': 'ONE\n', 'gone.txt': 'ONE\n', 'new.txt': 'ONE\n' }, { commit: 'Work' });
  await at.repository.write('a.txt', 'two\n');
  await at.repository.write('new.txt', 'two\n');
  await at.repository.git('rm', '--quiet', 'gone.txt');
  await at.repository.git('add', '--all');
  await at.repository.git('commit', '--quiet', '--message=Meanwhile');
  const overlaps = async () =>
    expectOk(await forecast(at.landing)).worktrees[0]?.overlaps.map((one) => [
      one.with,
      one.files.toSorted(),
    ]);
  const conflict = ['main', ['a.txt', 'gone.txt', 'new.txt']];
  expect(await overlaps()).toEqual([conflict]);
  await at.repository.write('a.txt', 'mine\n');
  await at.repository.write('gone.txt', 'mine\n');
  expect(await overlaps()).toEqual([conflict, ['uncommitted changes', ['a.txt', 'gone.txt']]]);
});

test('the forecast names who changes the same files, what would conflict, and what the user has not committed', async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'ONE\ntwo\nthree\n' });
  await at.work('two', { 'a.txt': 'one\ntwo\nTHREE\n' });
  await at.work('three', { 'a.txt': 'EINS\ntwo\nthree\n' });
  await at.repository.write('a.txt', 'mine\n');
  const { worktrees } = expectOk(await forecast(at.landing));
  const overlaps = Object.fromEntries(
    worktrees.map(({ name, overlaps }) => [name, overlaps.map((one) => [one.with, one.conflicts.length])]),
  );
  expect(overlaps).toEqual({
    one: [['uncommitted changes', 0]],
    two: [
      ['uncommitted changes', 0],
      ['one', 0],
    ],
    three: [
      ['uncommitted changes', 0],
      ['one', 1],
      ['two', 0],
    ],
  });
  expect(await at.listed()).toHaveLength(3);
});

test('a merge driver of the repository neither runs nor drops a change in silence', async () => {
  const at = await field({ '.gitattributes': '*.txt merge=evil\n', 'a.txt': 'one\n' });
  await at.repository.git('config', 'merge.evil.driver', `touch ${at.home}/ran`);
  await at.work('one', { 'a.txt': 'ONE\n' });
  await at.work('two', { 'a.txt': 'TWO\n' });
  expect(states(await landAll(at))).toEqual({ one: 'landed', two: 'conflict' });
  expect(existsSync(join(at.home, 'ran'))).toBe(false);
});

test('drop removes a worktree with its work and its branch, and only that', async () => {
  const at = await field();
  await at.work('one', { 'x.txt': 'x' }, { commit: 'Work' });
  await at.work('two', { 'y.txt': 'y' });
  expect(await dropAll(at, ['one'])).toEqual([{ name: 'one', dropped: true }]);
  expect(await at.branches()).toEqual(['cadre/two/work']);
  expect(listRecords(at.home).map(({ slug }) => slug)).toEqual(['two']);
  const none = await planDrop(at.landing, ['none']);
  expect(none.ok ? '' : none.problem.hint).toBe('Available: s/two.');
});

test('a forecast and a diff leave nothing in the store of the repository, wherever that is', async () => {
  const at = await field({ 'a.txt': 'a\n' });
  await at.work('one', { 'a.txt': 'one\n' });
  await at.work('two', { 'a.txt': 'two\n', 'new.txt': 'new\n' });
  const odd = `${at.repository.path}:odd"`;
  symlinkSync(at.repository.file('.git'), odd);
  const common = { ...at.landing.repository, common: odd };
  const before = await at.repository.git('count-objects', '-v');
  for (const ground of [at.landing, { ...at.landing, repository: common }]) {
    const shown = await Promise.all(
      listRecords(at.home).map((record) => diffWorktree(ground, record).then((diff) => expectOk(diff))),
    );
    expect(shown.join('')).toContain('+new');
  }
  const { worktrees } = expectOk(await forecast(at.landing));
  expect(worktrees[1]?.overlaps[0]?.conflicts).toHaveLength(1);
  expect(await at.repository.git('count-objects', '-v')).toBe(before);
  rmSync(odd);
});

test('only a branch by its very name is landed on', async () => {
  const at = await field();
  await at.work('one', { 'new.txt': 'x\n' });
  for (const onto of ['', 'HEAD', 'refs/heads/main', 'main~0', 'main^{commit}', '-x']) {
    const done = await land(at.landing, { agree: yes, onto });
    expect(done.ok ? onto : done.problem.message).toBe(`There is no branch ${onto}.`);
  }
});

test('a new file lands where its author put it, whatever the configuration says of renamed directories', async () => {
  const at = await field({ 'a.txt': 'a\n', 'd/f': '1\n', 'd/g': '2\n' });
  await at.repository.git('config', 'merge.directoryRenames', 'true');
  const mover = await at.work('mover', { 'm.txt': 'm\n' });
  await at.repository.git('-C', mover.path, 'mv', 'd', 'e');
  await at.work('adder', { 'd/new': 'new\n' });
  const report = await landAll(at, ['mover', 'adder']);
  expect(states(report)).toEqual({ mover: 'landed', adder: 'conflict' });
});
