import { expect, test } from 'bun:test';
import { describeUnlanded } from '../../src/session/worktrees/unlanded.ts';
import { recordFormat, type WorktreeRecord, writeRecord } from '../../src/workspace/worktrees/record.ts';
import { temporaryDirectory } from '../support/index.ts';

const record = (slug: string, more: Partial<WorktreeRecord> = {}): WorktreeRecord => ({
  ...{
    format: recordFormat,
    slug,
    path: `/repo/${slug}`,
    branch: `cadre/${slug}/work`,
    base: 'a'.repeat(40),
  },
  ...{ common: '/repo/.git', main: '/repo', state: 'ready', session: 'mine', agentId: 'a1', owner: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', ...more },
});

test('work of the session that is not landed is named at the end, with what to do', async () => {
  const { path: home } = temporaryDirectory();
  expect(await describeUnlanded(home, 'mine')).toBe('');
  for (const one of [
    record('polite'),
    record('other', { session: 'another' }),
    record('try', { scratch: true }),
  ])
    expect(writeRecord({ home }, one).ok).toBe(true);
  expect(await describeUnlanded(home, 'mine')).toBe(
    'Not landed: polite. Review it with cadre worktree diff, land it with cadre worktree land.\n',
  );
});
