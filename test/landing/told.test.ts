import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorktrees } from '../../src/landing/candidates.ts';
import { diffWorktree } from '../../src/landing/drop.ts';
import { forecast } from '../../src/landing/forecast.ts';
import { carryOutLanding, prepareLanding } from '../../src/landing/land.ts';
import { previewLanding } from '../../src/landing/preview-landing.ts';
import { renderForecast, renderReport } from '../../src/landing/render.ts';
import { composeReturn, findHindrance, isOwnersBusiness } from '../../src/landing/return-work.ts';
import { temporaryWorkspace } from '../../src/testing/temporary-workspace.ts';
import { createWorktree } from '../../src/workspace/worktrees/create.ts';
import { leaveWorktree } from '../../src/workspace/worktrees/worktree.ts';
import { blockedBy, dropAll, expectOk, field, landAll, states } from './support.ts';

test('a submodule whose landed commit the checkout does not have yet is named with the command', async () => {
  const at = await field();
  const library = await temporaryWorkspace({ 'l.txt': 'l\n' }, { git: true });
  const allow = ['-c', 'protocol.file.allow=always'];
  await at.repository.git(...allow, 'submodule', '--quiet', 'add', library.path, 'lib');
  await at.repository.git('commit', '--quiet', '--message=Submodule');
  await library.write('l.txt', 'changed\n');
  await library.git('commit', '--quiet', '--all', '--message=Inner');
  const { record } = expectOk(await createWorktree(at.order('one'), at.landing.world));
  const lib = join(record.path, 'lib');
  await at.repository.git('-C', lib, 'fetch', '--quiet', 'origin');
  await at.repository.git('-C', lib, 'checkout', '--quiet', 'origin/main');
  await leaveWorktree(record, at.landing.world);
  const report = await landAll(at);
  expect(states(report)).toEqual({ one: 'landed' });
  expect(report.submodules).toEqual(['lib']);
  expect(renderReport(report)).toContain(
    `The submodule lib in ${at.repository.path} is not at its landed commit. Run there: git submodule update --init -- lib`,
  );
  await at.repository.git(...allow, 'submodule', '--quiet', 'update', '--init', '--', 'lib');
  expect(await at.repository.git('status', '--porcelain')).toBe('');
});

test('every file of the user in the way is named, whatever it is', async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'theirs\n', 'new.txt': 'theirs\n' });
  await at.repository.write('a.txt', 'mine\n');
  await at.repository.write('new.txt', 'mine\n');
  const { files, reason } = blockedBy(await landAll(at));
  expect(files).toEqual(['a.txt', 'new.txt']);
  expect(reason).toContain('uncommitted changes');
  expect(reason).toContain('ignored or untracked files');
});

test('a file that the user changed since the question blocks the work that changes it, by name; the rest waits', async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'theirs\n' });
  await at.work('two', { 'other.txt': 'theirs\n' });
  const plan = expectOk(await prepareLanding(at.landing, {}));
  expect(plan.layers.length).toBe(2);
  await at.repository.write('a.txt', 'mine\n');
  const report = expectOk(await carryOutLanding(plan, at.landing, {}));
  expect(states(report)).toEqual({ one: 'blocked', two: 'waiting' });
  expect(blockedBy(report)).toMatchObject({ files: ['a.txt'] });
  expect(await landAll(at)).toMatchObject({ landings: [{ status: 'landed' }, { status: 'blocked' }] });
});

test('landing on a branch without a commit says that one is needed', async () => {
  const at = await field();
  await at.work('one', { 'a.txt': 'theirs\n' });
  await at.repository.git('checkout', '--quiet', '--orphan', 'fresh');
  expect(await prepareLanding(at.landing, {})).toMatchObject({
    problem: {
      message: 'The branch fresh has no commit yet, so nothing can land on it.',
      hint: 'Make a first commit.',
    },
  });
});

test('a diff has the names of files as they are, also beyond ASCII', async () => {
  const at = await field();
  await at.work('one', { 'größe.txt': 'x\n' });
  const plan = expectOk(await previewLanding(at.landing, undefined, new AbortController().signal));
  expect(plan).toMatchObject({ text: expect.stringContaining('+++ b/größe.txt') });
  const [record] = expectOk(findWorktrees(at.landing));
  if (!record) throw new Error('no worktree');
  expect(expectOk(await diffWorktree(at.landing, record))).toContain('diff --git a/größe.txt b/größe.txt');
});

test('a new file that the user has staged is named once', async () => {
  const at = await field();
  await at.work('one', { 'staged.txt': 'theirs\n' });
  await at.repository.write('staged.txt', 'mine\n');
  await at.repository.git('add', 'staged.txt');
  const seen = renderForecast(expectOk(await forecast(at.landing)));
  expect(seen).toContain('same files as uncommitted changes: staged.txt');
  expect(seen).not.toContain('staged.txt, staged.txt');
  expect(blockedBy(await landAll(at)).files).toEqual(['staged.txt']);
});

test('work that only the user’s own files keep from landing is not returned without words, and that is the reason', async () => {
  const at = await field();
  const record = await at.work('one', { 'a.txt': 'theirs\n' }, { agentId: 'a1' });
  await at.repository.write('a.txt', 'mine\n');
  const hindrance = expectOk(await findHindrance(at.landing, record, { withGate: true }));
  const silent = composeReturn({ record, hindrance });
  expect(silent.ok ? '' : silent.problem.message).toMatch(
    /^one does not land, but its agent can do nothing about it: .*uncommitted changes.*a\.txt/,
  );
  expect(silent.ok ? '' : silent.problem.message).toContain('Commit them or stash them');
  const letter = expectOk(composeReturn({ record, hindrance, comment: 'Say more.' }));
  expect(letter).not.toContain('It cannot land');
});

test('where the branch was moved since the plan, the report has a line for each and nothing of what was found before', async () => {
  const at = await field();
  await at.work('one', { 'b.txt': 'b\n' });
  await at.work('two', { 'a.txt': 'one\nTWO\nthree\n' });
  await at.repository.write('a.txt', 'one\nZWEI\nthree\n');
  await at.repository.git('commit', '--quiet', '--all', '--message=Mine');
  const plan = expectOk(await prepareLanding(at.landing, {}));
  expect(plan.others.map(({ status }) => status)).toEqual(['conflict']);
  await at.repository.git('revert', '--no-edit', 'HEAD');
  const report = expectOk(await carryOutLanding(plan, at.landing, {}));
  expect(states(report)).toEqual({ one: 'waiting', two: 'waiting' });
  const text = renderReport(report);
  expect(text).toContain('waiting   one (the session itself): it was not landed and stays as it is\n');
  expect(text).not.toContain('conflict');
  expect(text).toContain('main was moved in the meantime.\nLand again.');
});

test('one that was removed since the plan is not said to wait', async () => {
  const at = await field();
  await at.work('one', { 'b.txt': 'b\n' });
  await at.work('two', { 'c.txt': 'c\n' });
  const plan = expectOk(await prepareLanding(at.landing, {}));
  await dropAll(at, ['one']);
  const report = expectOk(await carryOutLanding(plan, at.landing, {}));
  expect(states(report)).toEqual({ two: 'waiting' });
  expect(renderReport(report)).toContain('the worktree one was removed since the question was asked');
});

test('a conflict with changes that the user has not committed says so', async () => {
  const at = await field();
  await at.repository.write('a.txt', 'one\ntwo\nMINE\n');
  const made = expectOk(await createWorktree(at.order('one', { uncommitted: true }), at.landing.world));
  writeFileSync(join(made.record.path, 'a.txt'), 'one\nAGENT\nMINE\n');
  await leaveWorktree(made.record, at.landing.world);
  expect(renderForecast(expectOk(await forecast(at.landing)))).toContain(
    'conflict with your uncommitted changes: a.txt',
  );
  const report = await landAll(at);
  const text = renderReport(report);
  expect(report.landings.some(isOwnersBusiness)).toBe(false);
  expect(text).toContain(
    'conflict  one (the session itself) with your uncommitted changes, which it began with and main does not have. Commit them, then land again:\n',
  );
});

test('the question about landing has the diff of each worktree, as it would land', async () => {
  const at = await field();
  await at.work('one', { 'b.txt': 'new in one\n' });
  await at.work('two', { 'b.txt': 'new in one\n', 'c.txt': 'new in two\n' });
  const shown = expectOk(await previewLanding(at.landing, undefined, new AbortController().signal));
  const text = 'text' in shown ? shown.text : '';
  expect(text).toContain('to land   one');
  expect(text.match(/^diff --git /gm)).toHaveLength(2);
  expect(text.match(/^\+new in one$/gm)).toHaveLength(1);
  expect(text).toContain('\n+new in two');
  expect(text).toMatch(/^# one\ndiff --git a\/b\.txt [^#]*^# two\ndiff --git a\/c\.txt /ms);
});
