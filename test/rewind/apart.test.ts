import { expect, test } from 'bun:test';
import { apartFrom } from '../../src/rewind/snapshot.ts';
import { formatBranch, type WorktreeRecord, writeRecord } from '../../src/workspace/worktrees/record.ts';
import { temporaryDirectory } from '../support/index.ts';

const main = '/repository';
const worktree = (slug: string) => `${main}/.cadre/worktrees/${slug}`;

function record(slug: string, session: string, agentId: string | null): WorktreeRecord {
  return {
    ...{
      format: 1,
      slug,
      path: worktree(slug),
      branch: formatBranch(slug),
      base: 'abc',
      common: `${main}/.git`,
      main,
    },
    ...{ state: 'ready', session, agentId, owner: null, createdAt: '2026-01-01T00:00:00.000Z' },
  };
}

function apart(cwd = main) {
  const home = temporaryDirectory().path;
  writeRecord({ home }, record('own', 's1', null));
  writeRecord({ home }, record('agent', 's1', 'a1'));
  writeRecord({ home }, record('other', 's2', null));
  return apartFrom(home, 's1', cwd);
}

test("the checkout and the session's own worktree go back, those of agents and others do not", () => {
  const reason = apart();
  expect(reason(`${main}/src/a.ts`)).toBeUndefined();
  expect(reason(`${worktree('own')}/a.ts`)).toBeUndefined();
  expect(reason(`${worktree('agent')}/a.ts`)).toContain('branch cadre/agent/work');
  expect(reason(`${worktree('other')}/a.ts`)).toContain('worktree other');
  expect(reason(`${worktree('gone')}/a.ts`)).toBe('it was in a worktree that no longer exists.');
});

test('a session that was started inside a worktree goes back there', () => {
  const reason = apart(worktree('other'));
  expect(reason(`${worktree('other')}/a.ts`)).toBeUndefined();
  expect(reason(`${worktree('agent')}/a.ts`)).toContain('which a rewind does not change');
});
